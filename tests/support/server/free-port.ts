/** Finds a port for a server that restarts with the same number. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Range of ports, below the range of outgoing connections (from 32768 on Linux, 49152 elsewhere). A connection of any process could take
 * such a port before the server listens, or while the server is down.
 */
const range = { first: 20_000, count: 12_000 }
const maxTries = 50

export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const port = range.first + Math.floor(Math.random() * range.count)
    if (await isFree(port)) return port
  }
  throw new Error(`no port is free in ${maxTries} tries from ${range.first} on`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isListening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!(await isListening)) return false
  server.close()
  await once(server, 'close')
  return true
}
