/** Runs in Chromium with the portal's own code. `bench/search.ts` calls it step by step. */
import { userListSpec, type UserRow } from '#contract/users.ts'
import { runInSlices } from '#features/search/index/run-in-slices.ts'
import { type IndexSession, startIndexSession } from '#features/search/index/index-session.ts'
import { storeCompleteList } from '#local/lists/store-complete-list.ts'
import { openSession } from '#local/session/session.ts'
import { type Device, openDevice } from '#local/storage/device.ts'
import type { SearchSource } from '#patterns/search-source.ts'

const rowCount = 100_000
const subject = { companyId: 7, userId: 1 }
let device: Device
let session: IndexSession

const firstNames = [
  'Amelia',
  'Benny',
  'Chloe',
  'Dora',
  'Edwin',
  'Fiona',
  'Grace',
  'Henry',
  'Ivy',
  'Jason',
  'Karen',
  'Leo',
]
const lastNames = ['Chan', 'Wong', 'Lee', 'Lau', 'Cheung', 'Smith', 'García', 'Müller', 'Tanaka', 'Okafor']
const hanCharacters = [...'环球贸易长城银行重庆科技发展张王李赵陈曾国华建明丽芳伟强']

/** Every seventh user has a Chinese name. */
function buildName(id: number): string {
  const pick = <T>(values: readonly T[], step: number) => values[Math.floor(id / step) % values.length] as T
  if (id % 7 === 0) return `${pick(hanCharacters, 7)}${pick(hanCharacters, 101)}${pick(hanCharacters, 1_003)}`
  return `${pick(firstNames, 1)} ${pick(lastNames, 12)} ${id}`
}

const buildRow = (id: number) => ({
  id,
  name: buildName(id),
  email: `user${id}@company${id % 97}.example`,
  company_id: subject.companyId,
  status: 1,
  row_version: 1,
})

function* createPieces() {
  for (let from = 1; from <= rowCount; from += 5_000) yield Array.from({ length: 5_000 }, (_, n) => buildRow(from + n))
}

async function fill(): Promise<void> {
  device = openDevice()
  await openSession(device, subject)
  const response = { pieces: createPieces(), changeNumber: 1, asOf: 1_000 }
  if (!(await storeCompleteList(device.getDatabase(subject), userListSpec, subject.companyId, response, 1)))
    throw new Error('the rows were not stored')
}

const source: SearchSource = {
  kind: 'users',
  list: userListSpec,
  scope: subject.companyId,
  toItems(versionedRow) {
    const { id, name, email } = versionedRow as UserRow
    return [
      {
        key: `user ${id}`,
        group: 'find',
        icon: 'person',
        label: name,
        detail: email,
        codes: [email],
        path: `/user/${id}`,
      },
    ]
  },
  findOpenId: () => null,
  toKey: (id) => `user ${id}`,
  toListPath: () => '',
  fetch: () => async () => undefined,
}

/** Returns the time until all rows are indexed, and the times between two timers of the page meanwhile, in ms. */
async function index(): Promise<{ ms: number; blocks: number[] }> {
  const startedAt = performance.now()
  let beatAt = startedAt
  const blocks: number[] = []
  const beat = () => {
    blocks.push(performance.now() - beatAt)
    beatAt = performance.now()
  }
  const timer = setInterval(beat, 4)
  session = startIndexSession([source], { recentKeys: [], device })
  await new Promise<void>((resolve) => {
    const unsubscribe = session.subscribe(() => {
      if (session.getSnapshot().isReading) return
      unsubscribe()
      resolve()
    })
  })
  clearInterval(timer)
  return { ms: performance.now() - startedAt, blocks }
}

/** Searches after each key of the text. Returns the times in ms until the hits, and the number of hits of the complete text. */
async function type(text: string): Promise<{ times: number[]; hitCount: number }> {
  const times: number[] = []
  let hitCount = 0
  for (let length = 1; length <= text.length; length++) {
    const startedAt = performance.now()
    hitCount = await new Promise<number>((resolve) =>
      runInSlices(session.search(text.slice(0, length), 10), (hits) => resolve(hits.length)),
    )
    times.push(performance.now() - startedAt)
  }
  return { times, hitCount }
}

const searchBench = { fill, index, type }
declare global {
  var searchBench: {
    fill: typeof fill
    index: typeof index
    type: typeof type
  }
}
globalThis.searchBench = searchBench
