# What is copied is laid out by `npm run image` (tools/image.js): the compiled package and its production dependencies,
# so that the build itself needs neither npm nor a network.
FROM node:24-bookworm-slim
ENV NODE_ENV=production PATH=/opt/stockcheck/bin:$PATH
COPY . /opt/stockcheck
USER node
WORKDIR /home/node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "/opt/stockcheck/healthcheck.js"]
ENTRYPOINT ["stockcheck"]
CMD ["serve", "--host", "0.0.0.0", "--no-control"]
