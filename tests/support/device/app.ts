/** Starts the complete application in one process: a real server, and tablets whose connection can be cut. All share one clock. */
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
  openTablet(): Tablet
  /** Returns a device on which that test user (`admin@alpha`) has just logged in. */
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

export const toServerTransport =
  ({ fastify }: Pick<TestServer, 'fastify'>): ServerTransport =>
  async ({ method, path, headers, body }) => {
    const { host: _, ...requestHeaders } = headers
    const response = await fastify.inject({
      method: method as 'GET',
      url: path,
      headers: requestHeaders,
      // The body of a form with a file is passed as bytes.
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

/** Logs this test user in. Throws if the server refuses. */
export async function signInAs(tablet: Tablet, userName: string): Promise<void> {
  const [role, company = ''] = userName.split('@')
  const result = await tablet.signIn(company, `${role}@${company}.example`, password)
  if (result.kind !== 'fresh') throw new Error(`${userName} is not let in: ${JSON.stringify(result)}`)
}
