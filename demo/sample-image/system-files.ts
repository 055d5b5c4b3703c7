/** Lists the files of this machine that the image needs besides the program: Node, bash for the health check, and their libraries. */
import { execFile } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartProblem } from '#server/config/config.ts'
import type { ImageEntry } from '#demo/sample-image/image-entry.ts'

const runFile = promisify(execFile)

export const nodePath = '/usr/local/bin/node'
export const healthPath = '/bin/health'
const bashPath = '/bin/bash'

/** Libraries that the C library loads when a program resolves names, if it is older than 2.34. */
const nameLibraries = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']

/** Starting Node for each check would use more processor time than the instance itself. */
const healthScript = `#!/bin/bash
exec 3<>"/dev/tcp/127.0.0.1/\${PORT:-8080}" || exit 1
printf 'GET /health HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3
read -r -t 10 status <&3
[[ $status == *" 200 "* ]]
`

/** Throws StartProblem if this machine cannot build the image. */
export async function listSystemFiles(): Promise<ImageEntry[]> {
  if (process.platform !== 'linux') throw new StartProblem('The sample image can be built on Linux only.')
  const libraries = new Set([...(await listLibraries(process.execPath)), ...(await listLibraries(bashPath))])
  for (const path of [...libraries].filter((library) => library.includes('libc.so')))
    for (const name of nameLibraries)
      if (existsSync(join(dirname(path), name))) libraries.add(join(dirname(path), name))
  return [
    copy(nodePath, process.execPath, 0o755),
    copy(bashPath, bashPath, 0o755),
    ...[...libraries].map((path) => copy(path, path, 0o755)),
    { path: 'bin/sh', kind: 'link', target: 'bash' },
    text(healthPath, healthScript, 0o755),
    text('/etc/passwd', 'root:x:0:0:root:/:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/bash\n'),
    text('/etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
    text('/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    // Anybody may write here, because the image runs as any user.
    { path: 'data', kind: 'folder', mode: 0o1777 },
    { path: 'tmp', kind: 'folder', mode: 0o1777 },
  ]
}

const copy = (path: string, source: string, mode: number): ImageEntry => ({
  path: path.slice(1),
  kind: 'copy',
  mode,
  source: realpathSync(source),
})

const text = (path: string, content: string, mode = 0o644): ImageEntry => ({
  path: path.slice(1),
  kind: 'text',
  mode,
  text: content,
})

async function listLibraries(program: string): Promise<string[]> {
  try {
    const { stdout } = await runFile('ldd', [program])
    // Each line has the path of one library, except that of a library without a file.
    const words = stdout.split('\n').map((line) => line.split(/\s/))
    return words.flatMap((line) => line.find((word) => word.startsWith('/')) ?? [])
  } catch (cause) {
    throw new StartProblem(`The libraries of ${program} cannot be listed with ldd.`, { cause })
  }
}
