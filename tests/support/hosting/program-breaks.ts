/**
 * Runs before the program of an instance and breaks it if an app with the code of a break is installed. So an update to a broken version is
 * an update of apps, which works for every driver. In an image the variable PROGRAM_BREAK does the same. Imports nothing of the project, because it is copied into images.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

export const programBreaks = ['exits', 'sick', 'grows', 'freezes'] as const
/**
 * `exits`: ends at once. `sick`: runs, but its health check fails. `grows`: becomes healthy and then uses more and more memory. `freezes`:
 * accepts connections and never answers.
 */
export type ProgramBreak = (typeof programBreaks)[number]

interface BreakArguments {
  apps: { code: string }[]
  /** Socket path of a local instance, or port number. */
  address: string
}

const megabyte = 1024 * 1024

/** Returns null if this process is not a task, for example if it sets a password or checks the health. */
function readArguments(): BreakArguments | null {
  const [, , command, argument = ''] = process.argv
  if (command === 'serve' && argument.startsWith('{')) {
    const { apps, socket } = JSON.parse(argument) as { apps: { code: string }[]; socket: string }
    return { apps, address: socket }
  }
  const { APPS_FILE: appsFile, PORT: port = '8080' } = process.env
  if (command !== 'run') return null
  const apps = appsFile ? (JSON.parse(readFileSync(appsFile, 'utf8')) as { code: string }[]) : []
  return { apps, address: port }
}

/** Never resolves if the program is not to run. */
export async function breakProgram(): Promise<void> {
  const taskArguments = readArguments()
  const breakKind = programBreaks.find(
    (kind) => taskArguments?.apps.some(({ code }) => code === kind) || process.env.PROGRAM_BREAK === kind,
  )
  if (taskArguments === null || breakKind === undefined) return
  console.log(`info program breaks: ${breakKind}`)
  if (breakKind === 'exits') process.exit(3)
  if (breakKind === 'grows') {
    const blocks: Buffer[] = []
    // Waits until the health check has succeeded once. Filled, because the system allocates memory only when it is written.
    setInterval(() => void (performance.now() > 4000 && blocks.push(Buffer.alloc(20 * megabyte, 1))), 100)
    return
  }
  createServer((_request, response) => {
    if (breakKind === 'sick') response.writeHead(503).end('sick')
  }).listen(taskArguments.address)
  process.on('SIGTERM', () => process.exit(0))
  await new Promise(() => undefined)
}

await breakProgram()
