import { createServer, type Socket } from 'node:net';

import { answeredAt } from '../../fixtures/answer-times.ts';
import { BENCH_LIST, listenAndTell } from './protocol.ts';

// Stalls at the end of each period, and remembers when each request has come. As lean as can be, since what it takes
// itself to answer all that waited at the end of a stall would be measured, too.
const [periodMilliseconds = 2_000, stallMilliseconds = 200] = process.argv.slice(2).map(Number);
const RESPONSE = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(BENCH_LIST)}`,
    '',
    BENCH_LIST,
  ].join('\r\n'),
);
const END_OF_HEAD = '\r\n\r\n';
// A timer may fire this much late; what is nearer is waited for from one turn of the event loop to the next.
const TIMER_SLACK_MILLISECONDS = 2;
let arrivals: number[] = [];
let waiting: Socket[] = [];

/** Answers all that wait, as they came, once it is time. */
function answerAt(time: number): void {
  const left = time - performance.now();
  if (left > TIMER_SLACK_MILLISECONDS + 1) {
    setTimeout(answerAt, Math.floor(left - TIMER_SLACK_MILLISECONDS), time);
  } else if (left > 0) {
    setImmediate(answerAt, time);
  } else {
    const released = waiting;
    waiting = [];
    for (const socket of released) {
      socket.write(RESPONSE);
    }
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let head = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const at = performance.now();
    head += chunk.toString('latin1');
    for (let end = head.indexOf(END_OF_HEAD); end !== -1; end = head.indexOf(END_OF_HEAD)) {
      head = head.slice(end + END_OF_HEAD.length);
      arrivals.push(performance.timeOrigin + at);
      const due = answeredAt({ periodMilliseconds, stallMilliseconds }, at);
      if (due <= at) {
        socket.write(RESPONSE);
      } else {
        waiting.push(socket);
        if (waiting.length === 1) {
          answerAt(due);
        }
      }
    }
  });
});
listenAndTell(server, {
  takeArrivals: () => {
    const told = arrivals;
    arrivals = [];
    return told;
  },
});
