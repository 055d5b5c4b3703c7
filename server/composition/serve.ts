import { flushCompileCache } from 'node:module'
import { buildApp } from '#server/composition/app.ts'
import { closeApp, drain } from '#server/composition/close-app.ts'
import { closeOnSignal } from '#server/composition/close-on-signal.ts'
import type { StartedApp } from '#server/composition/create-app-context.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import type { FirstAdminLink } from '#server/composition/first-admin.ts'
import type { NodeOptions } from '#server/composition/open-node.ts'
import { startApp } from '#server/composition/start-app.ts'
import { startJobs } from '#server/composition/start-jobs.ts'
import { type Config, StartProblem } from '#server/config/config.ts'
import { createLifecycle } from '#server/context/lifecycle.ts'
import { prepareDummyHash } from '#server/use-cases/accounts/password-hash.ts'
import { createReadinessCheck, readinessMaxAgeMs } from '#server/use-cases/readiness.ts'

interface ServerOptions extends NodeOptions {
  demo: DemoExtension | null
  /** Frees the reserved port just before the server listens on it. */
  release(): Promise<void>
}

/**
 * Starts the server and its jobs. If the start fails, closes the opened resources and throws. An unusable port or host is thrown as a
 * StartProblem.
 */
export async function serve({ demo, release, ...node }: ServerOptions): Promise<void> {
  const { config, log, health, settings } = node
  // Needed for the first sign-in. It starts here, so that it runs while the database is opened.
  prepareDummyHash(config.argon2).catch(() => undefined)
  const running = await startApp(node, { demo, role: 'serve' })
  const { app } = running
  const lifecycle = createLifecycle()
  const fastify = buildApp(app, {}, demo, lifecycle)
  try {
    await release()
    await fastify.listen({ port: config.port, host: config.host })
  } catch (error) {
    await running.close()
    throw toStartProblem(error, config)
  }
  const stopJobs = startJobs(running, demo, settings.jobs)
  health?.setCheck(createReadinessCheck(app, lifecycle, { maxAgeMs: readinessMaxAgeMs }))
  closeOnSignal(
    log,
    async (signal) => {
      // Jobs are stopped while the last requests finish.
      await Promise.all([closeApp(fastify, lifecycle), stopJobs()])
      // Ctrl-C stops the services too. After other signals the services keep running, because the server may be restarted.
      if (signal === 'SIGINT') await running.shutDownHosting()
      await Promise.all([running.close(), health?.close()])
    },
    () => drain(log, lifecycle, settings.drainMs),
  )
  console.log(buildWelcome(running, demo))
  // Written at the start, because the process may be killed later.
  flushCompileCache()
}

function toStartProblem(error: unknown, { port, host }: Config): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EADDRINUSE')
    return new StartProblem(`Port ${port} is in use: stop the program that uses it, or set PORT to another number.`)
  if (code === 'EACCES')
    return new StartProblem(`This user is not allowed to use port ${port}: set PORT to another number.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartProblem(`HOST ${host} is not an address of this machine: set HOST to one of its addresses.`)
  return error
}

function buildWelcome({ app: { config }, firstAdminLink }: StartedApp, demo: DemoExtension | null): string {
  const lines = ['', `  The portal is running: ${config.publicUrl}/`, '']
  if (firstAdminLink) lines.push(...describeAdminLink(firstAdminLink), '')
  return [...lines, ...(demo?.welcome(config) ?? [])].join('\n')
}

function describeAdminLink(adminLink: FirstAdminLink): string[] {
  if (adminLink.kind === 'new')
    return [
      '  Open this link within 72 hours to set the password of the first administrator. It works once:',
      `  ${adminLink.link}`,
    ]
  const [time, until] = [adminLink.time, adminLink.until].map((moment) => new Date(moment).toISOString())
  return [
    `  The link for the first administrator was printed on ${adminLink.hostName} at ${time}. It works until ${until}.`,
    '  If it is lost, make a new one: node server/cli/create-admin-link.ts',
  ]
}
