/** The whole house in one process: a real server, and tablets that reach it by a line that can be cut. One clock for all. */
import {
  createClock,
  createTablet,
  type Clock,
  type ServerTransport,
  type Tablet,
} from '#tests/support/device/device.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

export interface Installation {
  server: TestServer
  clock: Clock
  /** A new device with nothing on it. */
  openTablet(): Tablet
  /** A device on which that person of the world (`admin@alpha`) has just signed in. */
  signInTablet(userName: string): Promise<Tablet>
  close(): Promise<void>
}

export async function openInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const server = await startServer({ env })
  const clock = createClock(server.clock.now, (now) => {
    server.clock.now = now
  })
  const openTablet = () => createTablet(toServerTransport(server), clock)
  return {
    server,
    clock,
    openTablet,
    async signInTablet(userName) {
      const signedInTablet = openTablet()
      await signInAs(signedInTablet, userName)
      return signedInTablet
    },
    close: () => server.close(),
  }
}

/** A way to that server from inside this process, for whatever plays the device. */
export const toServerTransport =
  ({ fastify }: Pick<TestServer, 'fastify'>): ServerTransport =>
  async ({ method, path, headers, body }) => {
    const { host: _, ...requestHeaders } = headers
    const response = await fastify.inject({
      method: method as 'GET',
      url: path,
      headers: requestHeaders,
      // A form with a file is written down byte by byte.
      ...(body === null ? {} : { payload: isMultipart(requestHeaders) ? Buffer.from(body, 'latin1') : body }),
    })
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | string[]>,
      body: response.body,
    }
  }

const isMultipart = (requestHeaders: Record<string, string>) =>
  requestHeaders['content-type']?.startsWith('multipart/') ?? false

/** Signs in as that person of the world; throws if the server says no. */
export async function signInAs(tablet: Tablet, userName: string): Promise<void> {
  const [role, company = ''] = userName.split('@')
  const result = await tablet.signIn(company, `${role}@${company}.example`, password)
  if (result.kind !== 'fresh') throw new Error(`${userName} is not let in: ${JSON.stringify(result)}`)
}
