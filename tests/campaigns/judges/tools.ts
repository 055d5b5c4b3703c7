/**
 * Installs tools that only a campaign needs, at a fixed version, into the cache folder. They are no packages of the project: they would make
 * its installation longer, and their packages would be in its lock file.
 */
import { execFile, type ExecFileException, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = join(import.meta.dirname, '..', '..', '..')

export interface ProgramOutput {
  /** Null if the program was ended by a signal. */
  code: number | null
  stdout: string
  stderr: string
}

interface ProgramOptions {
  cwd?: string
  env?: Record<string, string>
  /** After this time in ms the program is ended. */
  timeoutMs?: number
}

const defaultTimeoutMs = 300_000

/** Runs a program to its end, whatever its exit code. Rejects if it cannot be started or takes too long. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramOutput> {
  const { cwd = root, env = {}, timeoutMs = defaultTimeoutMs } = options
  return new Promise((resolve, reject) =>
    execFile(
      file,
      [...args],
      { cwd, env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 200_000_000 },
      (error: ExecFileException | null, stdout, stderr) => {
        if (error && typeof error.code !== 'number')
          reject(new Error(`${error.message}\n${stdout.slice(-1000)}${stderr.slice(-2000)}`))
        else resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
      },
    ),
  )
}

/** Installs the package unless the cache folder has it. Returns the folder of its files. Throws if the registry cannot be reached. */
export async function installPackage(name: string, version: string): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', `${name.replaceAll('/', '-')}-${version}`)
  const packageFolder = join(folder, 'node_modules', name)
  // Written after npm has ended, because an interrupted installation may leave the program without its packages.
  const marker = join(folder, 'installed')
  if (existsSync(marker)) return packageFolder
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version } }))
  const { code, stderr } = await runProgram('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
  })
  if (code !== 0) throw new Error(`could not install ${name} ${version}: ${stderr.slice(-2000)}`)
  await writeFile(marker, '')
  return packageFolder
}

/** Imports a file of an installed package. The caller states what it exports. */
export const importFile = async <T>(packageFolder: string, file: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(packageFolder, file)).href)) as T

/** Installs the Debian packages of the judges as root, if they are missing. Throws if a program is missing then. */
export function setUpPrograms(...options: string[]): void {
  const setup = spawnSync(process.execPath, [join('scripts', 'setup.mjs'), ...options], { cwd: root, stdio: 'inherit' })
  if (setup.status !== 0) throw new Error(`could not set up ${options.join(' ')}`)
}

/** Debian's versions are not fixed by the project: the campaign shows which one judged. */
export function readDebianVersion(name: string): string {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', name], { encoding: 'utf8' })
  return stdout || 'of this machine'
}
