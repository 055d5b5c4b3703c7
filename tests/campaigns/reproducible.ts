/**
 * Builds the client of the current commit in two clones and compares every byte. The clones differ in the name and depth of their folder,
 * in time zone, language, umask, number of threads and other variables of the environment. A third build goes into a folder with remains.
 *
 * npm run campaign -- reproducible
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

interface Conditions {
  folder: string
  umask: number
  env: Record<string, string>
}

const conditions: [Conditions, Conditions] = [
  { folder: 'a', umask: 0o022, env: { TZ: 'Asia/Tokyo', LANG: 'C', LC_ALL: 'C', NODE_ENV: 'development' } },
  {
    folder: 'a deeper/Ünï 中文/z',
    umask: 0o077,
    env: {
      TZ: 'America/New_York',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      NODE_ENV: 'test',
      UV_THREADPOOL_SIZE: '1',
      RAYON_NUM_THREADS: '1',
      TOKIO_WORKER_THREADS: '1',
      VITE_UNUSED: 'set',
    },
  },
]

export async function run(): Promise<void> {
  if (execute(root, 'git', ['status', '--porcelain']) !== '')
    console.log('Only what is committed is built: the working tree has changes that are left out.')
  const work = await mkdtemp(join(tmpdir(), 'portal-reproducible-'))
  try {
    const clones = []
    for (const one of conditions) clones.push(await cloneAndBuild(work, one))
    const [first = '', second = ''] = clones
    const again = join(work, 'again')
    await cp(join(first, 'dist'), again, { recursive: true })
    await cp(join(first, 'package.json'), join(again, 'assets', 'remains-12345678.js'))
    build(second, { ...conditions[1], env: { CLIENT_DIR: again } })
    const differences = [
      ...(await compareFolders(join(first, 'dist'), join(second, 'dist'))),
      ...(await compareFolders(join(first, 'dist-site'), join(second, 'dist-site'))),
      ...(await compareFolders(join(first, 'dist'), again)),
    ]
    console.log(await readFile(join(first, 'dist', 'build.json'), 'utf8'))
    for (const difference of differences) console.log(difference)
    console.log(`${differences.length} files differ`)
    if (differences.length > 0) process.exitCode = 1
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function cloneAndBuild(work: string, one: Conditions): Promise<string> {
  const clone = join(work, one.folder)
  await mkdir(clone, { recursive: true })
  execute(root, 'git', ['clone', '--quiet', '--no-hardlinks', root, clone])
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  build(clone, one)
  return clone
}

function build(clone: string, { umask, env }: Pick<Conditions, 'umask' | 'env'>): void {
  const previousUmask = process.umask(umask)
  try {
    const vite = join('node_modules', 'vite', 'bin', 'vite.js')
    execute(clone, process.execPath, [vite, 'build', '--logLevel', 'error'], env)
  } finally {
    process.umask(previousUmask)
  }
}

function execute(cwd: string, program: string, args: string[], env: Record<string, string> = {}): string {
  const result = spawnSync(program, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${result.stderr}`)
  return result.stdout
}

async function compareFolders(one: string, other: string): Promise<string[]> {
  const [ones, others] = await Promise.all([readDigests(one), readDigests(other)])
  if (ones.size === 0) throw new Error(`${one} has no files`)
  console.log(`${ones.size} files in ${one}, ${others.size} in ${other}`)
  const names = new Set([...ones.keys(), ...others.keys()])
  return [...names]
    .filter((name) => ones.get(name) !== others.get(name))
    .map((name) => `${name} of ${one} and ${other}`)
}

async function readDigests(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const digests = paths.map(
    async (path): Promise<[string, string]> => [
      path.slice(folder.length + 1),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ],
  )
  return new Map(await Promise.all(digests))
}
