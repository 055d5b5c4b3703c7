/**
 * Simulates a mail server on loopback with the part of SMTP that a mail needs (RFC 5321). It can be made to refuse, to stall or to close
 * the connection.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface ReceivedMail {
  from: string
  to: string[]
  data: string
}

/** Responses by verb that replace the normal ones. DATA is the response before the mail, BODY the response after it. */
export interface SmtpBehaviour {
  MAIL?: string
  RCPT?: string
  DATA?: string
  BODY?: string
  /** Delays each greeting until the promise resolves. */
  stall?: () => Promise<void>
  /** If true, it accepts the mail but closes the connection before its response. */
  hangsUp?: boolean
}

export interface SmtpServer {
  url: string
  receivedMails: ReceivedMail[]
  behaviour: SmtpBehaviour
  close(): Promise<void>
}

export async function startSmtp(): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const smtp: Omit<SmtpServer, 'url'> = {
    receivedMails: [],
    behaviour: {},
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    void serveConnection(socket, smtp)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(smtp, { url: `smtp://127.0.0.1:${port}` })
}

async function serveConnection(socket: Socket, { receivedMails, behaviour }: Omit<SmtpServer, 'url'>): Promise<void> {
  const sendLine = (line: string) => socket.write(`${line}\r\n`)
  await behaviour.stall?.()
  sendLine('220 loopback ready')
  let mail: ReceivedMail = { from: '', to: [], data: '' }
  let isInData = false
  let text = ''

  const handlers: Record<string, (line: string) => void> = {
    EHLO: () => sendLine('250-loopback\r\n250-SMTPUTF8\r\n250 8BITMIME'),
    MAIL: (line) => {
      mail = { from: readAddress(line), to: [], data: '' }
      sendLine(behaviour.MAIL ?? '250 fine')
    },
    RCPT: (line) => {
      if (!behaviour.RCPT) mail.to.push(readAddress(line))
      sendLine(behaviour.RCPT ?? '250 fine')
    },
    DATA: () => {
      isInData = !behaviour.DATA
      sendLine(behaviour.DATA ?? '354 go on')
    },
    QUIT: () => socket.end('221 bye\r\n'),
  }

  function endOfMail(): void {
    isInData = false
    if (behaviour.BODY) return void sendLine(behaviour.BODY)
    receivedMails.push({ ...mail })
    if (behaviour.hangsUp) socket.destroy()
    else sendLine('250 taken')
  }

  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      if (isInData && line === '.') endOfMail()
      else if (isInData) mail.data += `${line.replace(/^\.\./, '.')}\n`
      else (handlers[line.slice(0, 4).toUpperCase()] ?? (() => sendLine('250 fine')))(line)
    }
  })
}

const readAddress = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? ''
