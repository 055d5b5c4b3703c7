/** A5: memory at rest, and the time from the start of the process to its first list, on the embedded database's data. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { databaseFolder } from '#server/db/embedded/folder.ts'
import { startServer } from './child.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { bareBearer, oldTrail, secret, signIn } from './world.ts'

const runs = 5
const trailRows = 200_000
const restMs = 4000

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const copy = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  try {
    const env = { DATA_DIR: folder, DEMO: '1', PROVIDER_REFRESH_IDLE_SECONDS: '3600' }
    const first = await startServer('server/main.ts', env, { path: '/health/ready' })
    // The session outlives the starts below: it stands in the data.
    const session = await signIn(first.url, 'acme:admin@acme.example')
    await first.stop()
    const database = await PGlite.create({ dataDir: databaseFolder(folder) })
    for (const statement of oldTrail(trailRows)) await database.exec(statement)
    await database.exec('vacuum analyze')
    await database.close()
    await cp(databaseFolder(folder), copy, { recursive: true })

    const list = { path: `/api/m18s/company/${session.companyId}/users`, headers: { authorization: session.bearer } }
    const bareList = { path: `/users/${session.companyId}`, headers: { authorization: bareBearer() } }
    const boots: [number, number][] = []
    const sizes: [number, number][] = []
    for (let run = 0; run < runs; run++) {
      const portal = await rest(() => startServer('server/main.ts', env, list))
      const bare = await rest(() => startServer('bench/bare.ts', { FOLDER: copy, SECRET: secret }, bareList))
      boots.push([portal.bootMs, bare.bootMs])
      if (portal.mb !== null && bare.mb !== null) sizes.push([portal.mb, bare.mb])
      tell(
        `first list after ${portal.bootMs.toFixed(0)} ms against ${bare.bootMs.toFixed(0)} ms, at rest ${portal.mb?.toFixed(0)} MB against ${bare.mb?.toFixed(0)} MB`,
      )
    }
    return [
      figure('memory at rest vs bare server', sizes, 'MB'),
      figure('start to first list vs bare server', boots, 'ms'),
    ]
  } finally {
    await Promise.all([folder, copy].map((path) => rm(path, { recursive: true, force: true })))
  }
}

async function rest(start: () => ReturnType<typeof startServer>) {
  const server = await start()
  await wait(restMs)
  const mb = server.residentMb()
  await server.stop()
  return { bootMs: server.bootMs, mb }
}

function figure(what: string, pairs: [number, number][], unit: string): Figure {
  const [ours, floor] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)]
  const limits = { id: 'A5', what, unit: 'x', better: 'less', hard: 1.3, stretch: 1.1 } as const
  if (pairs.length === 0) return { ...limits, value: null, note: 'no /proc here' }
  return {
    ...limits,
    value: ratio(ours, floor),
    note: `${median(ours).toFixed(0)} ${unit} against ${median(floor).toFixed(0)}`,
  }
}

export const start: Bench = { ids: ['A5'], measure }
