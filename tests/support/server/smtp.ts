/** A mail server on loopback that speaks as much SMTP as a mail needs (RFC 5321), and can be told to refuse, to stall or to hang up. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface Received {
  from: string
  to: string[]
  /** Headers and body, as they came. */
  data: string
}

/** What it says to each verb instead of the usual; DATA is asked about before the mail, BODY behind it. */
export interface Mood {
  MAIL?: string
  RCPT?: string
  DATA?: string
  BODY?: string
  /** Waited for before each greeting. */
  stall?: () => Promise<void>
  /** Takes the mail and hangs up before it says so. */
  hangsUp?: boolean
}

export interface SmtpServer {
  url: string
  received: Received[]
  mood: Mood
  close(): Promise<void>
}

export async function startSmtp(): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const smtp: Omit<SmtpServer, 'url'> = {
    received: [],
    mood: {},
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    void converse(socket, smtp)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(smtp, { url: `smtp://127.0.0.1:${port}` })
}

async function converse(socket: Socket, { received, mood }: Omit<SmtpServer, 'url'>): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`)
  await mood.stall?.()
  say('220 loopback ready')
  let mail: Received = { from: '', to: [], data: '' }
  let inData = false
  let text = ''

  const answers: Record<string, (line: string) => void> = {
    EHLO: () => say('250-loopback\r\n250-SMTPUTF8\r\n250 8BITMIME'),
    MAIL: (line) => {
      mail = { from: inAngles(line), to: [], data: '' }
      say(mood.MAIL ?? '250 fine')
    },
    RCPT: (line) => {
      if (!mood.RCPT) mail.to.push(inAngles(line))
      say(mood.RCPT ?? '250 fine')
    },
    DATA: () => {
      inData = !mood.DATA
      say(mood.DATA ?? '354 go on')
    },
    QUIT: () => socket.end('221 bye\r\n'),
  }

  function endOfMail(): void {
    inData = false
    if (mood.BODY) return void say(mood.BODY)
    received.push({ ...mail })
    if (mood.hangsUp) socket.destroy()
    else say('250 taken')
  }

  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      if (inData && line === '.') endOfMail()
      else if (inData) mail.data += `${line.replace(/^\.\./, '.')}\n`
      else (answers[line.slice(0, 4).toUpperCase()] ?? (() => say('250 fine')))(line)
    }
  })
}

const inAngles = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? ''
