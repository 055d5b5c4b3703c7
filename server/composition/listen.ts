import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ServerExtensions } from '#server/composition/demo.ts'
import { openHealth } from '#server/composition/open-health.ts'
import { openNode } from '#server/composition/open-node.ts'
import { type EnvironmentVariables, StartProblem } from '#server/config/config.ts'
import { readEnvironment } from '#server/config/secret-files.ts'

/** Starts the server: pages, API, and jobs unless workers run them. */
export const listen = (extensions: ServerExtensions): Promise<void> => printStartProblem(() => startServer(extensions))

/** Starts a worker: the jobs and the schedule, without pages and API. */
export const work = (extensions: ServerExtensions): Promise<void> => printStartProblem(() => startWorker(extensions))

async function printStartProblem(start: () => Promise<void>): Promise<void> {
  try {
    await start()
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function startServer({ loadDemo, hostedProgram }: ServerExtensions): Promise<void> {
  const { env, release } = await reservePort(readEnvironment())
  const node = openNode(env)
  const health = await openHealth(node.settings)
  try {
    const databasePromise = node.openDatabase()
    const [{ serve }, demo] = await Promise.all([
      import('#server/composition/serve.ts'),
      node.config.demo ? loadDemo() : Promise.resolve(null),
    ])
    await serve({ ...node, databasePromise, health, demo, hostedProgram, release })
  } catch (error) {
    await health?.close()
    throw error
  }
}

async function startWorker({ hostedProgram }: ServerExtensions): Promise<void> {
  const node = openNode(readEnvironment())
  if (node.config.databaseUrl === null)
    throw new StartProblem(
      'A worker needs a database that several processes can use: set DATABASE_URL, or start only the server, which runs the jobs too.',
    )
  if (node.config.demo)
    throw new StartProblem(
      'A worker does not run in the demo: unset DEMO, or start only the server, which runs the jobs.',
    )
  const health = await openHealth(node.settings)
  try {
    const databasePromise = node.openDatabase()
    const { runWorker } = await import('#server/composition/run-worker.ts')
    await runWorker({ ...node, databasePromise, health, hostedProgram })
  } catch (error) {
    await health?.close()
    throw error
  }
}

/**
 * Replaces `PORT=0` by a free port before the configuration is read, because links contain the port. The port stays occupied until
 * `release`, so that no other program gets it.
 */
async function reservePort(
  env: EnvironmentVariables,
): Promise<{ env: EnvironmentVariables; release: () => Promise<void> }> {
  if (env.PORT !== '0') return { env, release: async () => undefined }
  // With unref, a start that fails before `release` still ends.
  const portHolder = createServer().unref()
  portHolder.listen(0, '127.0.0.1')
  await once(portHolder, 'listening')
  const { port } = portHolder.address() as AddressInfo
  const release = async () => void (await once(portHolder.close(), 'close'))
  return { env: { ...env, PORT: String(port) }, release }
}
