/** The whole house in one process: a real server, and tablets that reach it by a line that can be cut. One clock for all. */
import { createClock, createTablet, type Clock, type Server, type Tablet } from '#tests/support/device/device.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

export interface Installation {
  server: TestServer
  clock: Clock
  /** A new device with nothing on it. */
  tablet(): Tablet
  /** A device on which that person of the world (`admin@alpha`) has just signed in. */
  signedIn(who: string): Promise<Tablet>
  close(): Promise<void>
}

export async function openInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const server = await startServer({ env })
  const clock = createClock(server.clock.now, (now) => {
    server.clock.now = now
  })
  const tablet = () => createTablet(reachOf(server), clock)
  return {
    server,
    clock,
    tablet,
    async signedIn(who) {
      const fresh = tablet()
      await comeIn(fresh, who)
      return fresh
    },
    close: () => server.close(),
  }
}

/** A way to that server from inside this process, for whatever plays the device. */
export const reachOf =
  ({ fastify }: Pick<TestServer, 'fastify'>): Server =>
  async ({ method, path, headers, body }) => {
    const { host: _, ...sent } = headers
    const answer = await fastify.inject({
      method: method as 'GET',
      url: path,
      headers: sent,
      // A form with a file is written down byte by byte.
      ...(body === null ? {} : { payload: isForm(sent) ? Buffer.from(body, 'latin1') : body }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string | string[]>,
      body: answer.body,
    }
  }

const isForm = (sent: Record<string, string>) => sent['content-type']?.startsWith('multipart/') ?? false

/** Signs in as that person of the world; throws if the server says no. */
export async function comeIn(tablet: Tablet, who: string): Promise<void> {
  const [role, company = ''] = who.split('@')
  const result = await tablet.signIn(company, `${role}@${company}.example`, password)
  if (result.kind !== 'fresh') throw new Error(`${who} is not let in: ${JSON.stringify(result)}`)
}
