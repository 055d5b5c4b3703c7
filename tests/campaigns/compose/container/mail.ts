/** Runs the mail server of the tests in a container at port 1025. Writes each mail to standard output, as one line of JSON. */
import { connect, createServer } from 'node:net'
import { setInterval } from 'node:timers'
import { startSmtp } from '#tests/support/server/smtp.ts'

const smtp = await startSmtp()
const port = Number(new URL(smtp.url).port)

createServer((socket) => {
  const target = connect(port, '127.0.0.1')
  for (const end of [socket, target]) end.on('error', () => undefined)
  socket.pipe(target).pipe(socket)
}).listen(1025)

let written = 0
setInterval(() => {
  for (const mail of smtp.receivedMails.slice(written)) console.log(JSON.stringify(mail))
  written = smtp.receivedMails.length
}, 100)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))
