// Imported before a program, it has the program tell its CPU time (user and system) in microseconds at its end, on stderr.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`\ncpu ${user + system}\n`);
});
