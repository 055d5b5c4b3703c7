/**
 * Lives a history of deeds on a real device in a browser of the models, and compares: each commit and each arrival with
 * the promise, each step's list with what the promise says should be seen, and in the end, when the weather has cleared
 * and everybody has come back, the server's idempotency store with all that was ever wished.
 */
import type { Id } from '#contract/endpoint.ts'
import { createUser, deleteUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { readRowOn } from '#local/lists/read-row.ts'
import type { OutboxEntry, RowId } from '#local/storage/records.ts'
import { versionOf } from '#local/lists/list-view.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import type { Result } from '#request/results.ts'
import { signIn, signOut } from '#request/session/sign-in.ts'
import { createBrowser, type Tab } from '#tests/outbox-model/browser.ts'
import type { Decision, Deed, Word } from '#tests/outbox-model/operations.ts'
import {
  idsOfALife,
  type Life,
  isParked,
  nameOf,
  outboxOf,
  receiptsOf,
  rowsHere,
  sealsOf,
  users,
  waitsForUser,
  wayOut,
  whoIsHere,
} from '#tests/outbox-model/life.ts'
import { createPromise, type Wish } from '#tests/outbox-model/guarantees.ts'
import { checkEnd, wrongEffects } from '#tests/outbox-model/verify.ts'
import { createModelServer } from '#tests/outbox-model/server.ts'
import { checkSight } from '#tests/outbox-model/observation.ts'
import { createClock } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'

export interface Lived {
  steps: number
  effects: number
  wishes: number
  /** Forms that were told of a problem when the deeds were done. */
  forms: number
}

/** `diesAt`: the browser is killed at that step. Throws where a promise is broken. */
export async function live(deeds: readonly Deed[], { diesAt = null as number | null } = {}): Promise<Lived> {
  const life = begin()
  try {
    await run(life, () => come(life, 0, 1))
    await run(life, () => list(life, 0))
    life.browser.steps = 0
    life.browser.diesAt = diesAt
    for (const deed of deeds) {
      await happen(life, deed)
      await check(life, deed)
    }
    const { steps } = life.browser
    const forms = life.forms.length
    await settle(life)
    return { steps, effects: life.server.effects.length, wishes: life.promise.wishes.size, forms }
  } finally {
    await life.browser.close()
  }
}

function begin(): Life {
  const newId = idsOfALife()
  const clock = createClock()
  const server = createModelServer(clock)
  const browser = createBrowser((sent) => server.answer(sent), clock, newId)
  const promise = createPromise(server)
  const life: Life = { clock, server, browser, promise, forms: [], pending: new Set(), newId }
  const counted = browser.disk.onCommit
  browser.disk.onCommit = (process, transaction) => {
    const { db, objectStoreNames } = transaction
    // Whatever else runs just now does not touch these: whoever changes the outbox has all of it.
    for (const user of users.filter((one) => db.name === nameOf(one) && objectStoreNames.contains('outbox')))
      promise.committed(user, process, {
        outbox: outboxOf(life, user),
        receipts: receiptsOf(life, user),
        seals: sealsOf(life, user),
        rows: rowsHere(life, user),
      })
    counted(process, transaction)
  }
  server.onArrival = (items) => promise.arrived(items)
  server.onDeletedKeys = (user, ids) => {
    for (const { keyId = 0 } of sealsOf(life, user))
      if (ids.includes(keyId))
        server.broken.push(`sealing key ${keyId} was deleted before its seal was opened (protocol 30)`)
  }
  return life
}

/** The tabs there were when somebody asked. */
const begunIn = new WeakMap<Promise<unknown>, readonly Tab[]>()

/** Does it, and lets happen whatever can without the clock. */
async function run(life: Life, act: () => Promise<unknown>): Promise<void> {
  const tabs = [...life.browser.tabs]
  const under = act()
    // What somebody was asked for who died over it is nobody's mistake.
    .catch((error: unknown) => void (tabs.some(({ isDead }) => isDead) || life.browser.mistakes.push(error)))
    .finally(() => life.pending.delete(under))
  life.pending.add(under)
  begunIn.set(under, tabs)
  await life.browser.calm()
}

/** The same, and turns the clock until it has come to its end. */
async function runOut(life: Life, act: () => Promise<unknown>): Promise<void> {
  let isOver = false
  await run(life, () => act().finally(() => (isOver = true)))
  for (let at = 0; at < 20 && !isOver; at++) await pass(life, 4_000)
}

async function pass(life: Life, ms: number): Promise<void> {
  await life.clock.turn(ms)
  await life.browser.calm()
}

const tabOf = ({ browser }: Life, at: number): Tab => browser.tabs[at] as Tab

async function happen(life: Life, deed: Deed): Promise<void> {
  const { browser, server } = life
  switch (deed.kind) {
    case 'create':
      return await run(life, () => create(life, deed))
    case 'change':
      return await run(life, () => change(life, deed))
    case 'remove':
      return await run(life, () => remove(life, deed))
    case 'again':
      return await run(life, () => sendForm(life, deed.tab))
    case 'decide':
      return await run(life, () => decide(life, tabOf(life, deed.tab), pickEntry(life, deed), deed.how))
    case 'tick':
      return await run(life, () => tick(life, deed.tab, deed.hurry))
    case 'list':
      return await run(life, () => list(life, deed.tab))
    case 'pass':
      return await pass(life, deed.ms)
    case 'line':
      browser.line = deed.state
      return
    case 'mood':
      server.mood = deed.mood
      return
    case 'behind':
      return server.changeBehind(deed.id)
    case 'reload':
      life.forms = []
      browser.reload(deed.tab)
      return
    case 'leave':
      return await runOut(life, () => leave(life, deed))
    case 'come':
      return await runOut(life, () => come(life, deed.tab, deed.user))
    case 'full':
      browser.disk.isFull = deed.full
      return
    case 'closed':
      return browser.disk.closeConnections(tabOf(life, deed.tab))
    case 'freeze':
      return tabOf(life, deed.tab).freeze()
    case 'thaw':
      tabOf(life, deed.tab).thaw()
      return await browser.calm()
    case 'jump':
      return await pass(life, deed.minutes * 60_000)
    case 'dies':
      browser.diesAt = browser.steps + deed.after
      return
    case 'revoke':
      return server.revoke()
    case 'kill':
      life.forms = []
      return browser.kill()
    case 'late':
      return await browser.deliverLate()
  }
}

const titles: Record<Word, number> = { good: 1, bad: 2, ask: 0 }

async function create(life: Life, { tab, word }: { tab: number; word: Word }): Promise<void> {
  const intent = life.newId()
  const body = { title: 0 as const, name: `${word} ${intent.slice(-4)}`, email: `${intent}@acme.example` }
  wish(life, { intent, action: 'create', row: intent, said: [body] })
  hear(life, intent, await tabOf(life, tab).api.call(createUser, { body }, { intent }))
}

/** Rows that this user may mean: two that always were, and those made here. */
function rowsOf(life: Life): Wish['row'][] {
  const owner = whoIsHere(life)
  const made = [...life.promise.wishes.values()].filter((one) => one.action === 'create' && one.owner === owner)
  return [2, 3, ...made.map(({ intent }) => intent)]
}

function rowAt(life: Life, at: number): { row: Wish['row']; target: Id } {
  const all = rowsOf(life)
  const row = all[at % all.length] ?? 2
  if (typeof row === 'number') return { row, target: row }
  // Its number, once the device knows it for the same row.
  const names = life.browser.disk.read<RowId>(nameOf(whoIsHere(life) ?? 0), 'rowIds')
  const id = names.find(({ intent }) => intent === row)?.id
  return { row, target: id !== undefined && at % 2 === 0 ? id : `~${row}` }
}

async function change(life: Life, deed: Deed & { kind: 'change' }): Promise<void> {
  const { row, target } = rowAt(life, deed.at)
  const tab = tabOf(life, deed.tab)
  const intent = life.newId()
  const body =
    deed.field === 'name' ? { name: `${deed.word} ${intent.slice(-4)}` } : { title: titles[deed.word] as 0 | 1 | 2 }
  wish(life, { intent, action: 'change', row, said: [body] })
  const shown = deed.based ? await readRowOn(await tab.ports.device(), 'users', target) : null
  const values = Object.fromEntries(
    Object.keys(body).map((field) => [field, (shown?.row as unknown as Record<string, unknown> | undefined)?.[field]]),
  )
  const base = shown ? { base: { rowVersion: versionOf(shown), values } } : {}
  hear(life, intent, await tab.api.call(updateCompanyUser, { params: { id: target }, body }, { intent, ...base }))
}

async function remove(life: Life, { tab, at }: { tab: number; at: number }): Promise<void> {
  const { row, target } = rowAt(life, at)
  const intent = life.newId()
  wish(life, { intent, action: 'delete', row, said: [{}] })
  hear(life, intent, await tabOf(life, tab).api.call(deleteUser, { params: { id: target } }, { intent }))
}

function wish(life: Life, one: Omit<Wish, 'will' | 'owner'>): void {
  life.promise.wish({ ...one, owner: whoIsHere(life) ?? 0, mayBeDirect: life.browser.disk.isFull })
}

function hear(life: Life, intent: string, result: Result<unknown>): void {
  if (result.kind === 'problem' && result.intent && result.problem.status > 0) life.forms.push(intent)
  if (result.kind !== 'queued') return
  const owner = life.promise.wishes.get(intent)?.owner ?? 0
  if (!life.promise.queueKey(life.promise.wishes.get(intent)?.row ?? 0, owner).includes(intent))
    life.promise.broken.push(`${intent} is called queued, and never was on the disk`)
}

/** Sent again by the form that was told, with nothing wrong in it any more: the same wish. */
async function sendForm(life: Life, tab: number): Promise<void> {
  const intent = life.forms.find((one) => life.promise.wishes.get(one)?.owner === whoIsHere(life))
  const meant = intent === undefined ? undefined : life.promise.wishes.get(intent)
  if (!intent || !meant) return
  life.forms = life.forms.filter((one) => one !== intent)
  meant.mayBeDirect ||= life.browser.disk.isFull
  const body = mended(meant, intent)
  const { api } = tabOf(life, tab)
  const id = typeof meant.row === 'number' ? meant.row : (`~${meant.row}` as const)
  if (meant.action === 'create') hear(life, intent, await api.call(createUser, { body: body as never }, { intent }))
  if (meant.action === 'change')
    hear(life, intent, await api.call(updateCompanyUser, { params: { id }, body }, { intent }))
  if (meant.action === 'delete') hear(life, intent, await api.call(deleteUser, { params: { id } }, { intent }))
}

function mended(meant: Wish, intent: string): Record<string, unknown> {
  const last = meant.said.at(-1) ?? {}
  const body = 'name' in last ? { ...last, name: `good ${intent.slice(-4)}` } : last
  meant.said.push(body)
  return body
}

function pickEntry(life: Life, { at, how }: { at: number; how: Decision }): OutboxEntry | undefined {
  const all = outboxOf(life, whoIsHere(life) ?? 0)
  const fitting = how === 'drop' ? all : all.filter(({ state }) => isParked(state))
  return fitting[at % fitting.length]
}

async function decide(life: Life, { desk }: Tab, entry: OutboxEntry | undefined, how: Decision): Promise<void> {
  if (!entry) return
  const { intent } = entry
  const meant = life.promise.wishes.get(intent)
  if (how === 'keepTheirs' || how === 'drop') {
    // What the desk lists goes along, and nobody is asked twice.
    life.promise.drop(intent)
    life.forms = life.forms.filter((one) => one !== intent)
    await (how === 'drop' ? desk.drop(intent) : desk.keepTheirs(intent))
    return
  }
  if (how === 'mend' && meant)
    await desk.mend(intent, { ...entry.input, ...(meant.action === 'delete' ? {} : { body: mended(meant, intent) }) })
  if (how === 'retry' || how === 'confirm' || how === 'keepMine') await desk[how](intent)
}

async function tick(life: Life, at: number, hurry: boolean): Promise<void> {
  const tab = tabOf(life, at)
  const user = whoIsHere(life)
  const wakes = tab.wakes
  const isLeft = await sendOutbox(tab.ports, { hurry })
  if (tab.isDead || user === null || whoIsHere(life) !== user) return
  // It ends with nothing to send, or says so and arms the next trigger (requirement 16).
  const open = outboxOf(life, user).some(({ state }) => ['waiting', 'sending', 'dropping'].includes(state))
  if (open && !isLeft) life.promise.broken.push('a drain has ended with something to send and did not say so')
  if (isLeft && tab.wakes === wakes) life.promise.broken.push('a drain left something and armed no trigger')
}

const list = (life: Life, tab: number) =>
  tabOf(life, tab).api.call(listUsers, { params: { companyId: company }, query: { results: 100 } })

async function leave(life: Life, { tab, discard }: { tab: number; discard: boolean }): Promise<void> {
  const user = whoIsHere(life)
  if (discard && user !== null) life.promise.discard(user)
  // No form outlives its user's being here.
  life.forms = []
  await signOut(tabOf(life, tab).ports, discard)
}

/** Whoever comes has the line, or they could not. */
async function come(life: Life, tab: number, user: number): Promise<void> {
  const { browser } = life
  const was = browser.line
  browser.line = 'up'
  const credentials = {
    company: 'acme',
    username: `user${user}@acme.example`,
    password: 'Portal-demo-1',
    language: 'en',
  } as const
  await signIn(tabOf(life, tab).ports, credentials).finally(() => (browser.line = was))
}

async function check(life: Life, deed: Deed | null): Promise<void> {
  const broken = [...life.promise.broken, ...life.server.broken, ...wrongEffects(life)]
  if (broken.length > 0) throw new Error(`after ${JSON.stringify(deed)}: ${broken.join('; ')}`)
  // A device without room may fail at anything, and says so.
  const [mistake] = life.browser.mistakes.splice(0).filter(() => !life.browser.disk.isFull)
  if (mistake) throw new Error(`after ${JSON.stringify(deed)}`, { cause: mistake })
  await checkSight(life, tabOf(life, 0))
}

const roundsToSettle = 40

/** The weather clears, everybody comes back in turn, sends their forms again and decides what waits for them. */
async function settle(life: Life): Promise<void> {
  const { browser, server } = life
  browser.diesAt = null
  browser.disk.isFull = false
  for (const tab of browser.tabs) tab.thaw()
  await pass(life, 120_000)
  // After what was still under way, which leaves the line as it found it.
  browser.line = 'up'
  server.mood = 'well'
  // Whoever was here last comes first; then who is left, if they ever were here.
  const here = whoIsHere(life) ?? users[0]
  for (const user of [here, ...users.filter((one) => one !== here)])
    if (user === here || outboxOf(life, user).length + sealsOf(life, user).length > 0) await settleFor(life, user)
  await browser.deliverLate()
  await check(life, null)
  await run(life, () => list(life, 0))
  for (const one of life.promise.wishes.values()) checkEnd(life, one)
  await checkNothingHangs(life)
}

/** Longer than anything of the request pipeline waits, on a clock that may have been put back by hours. */
const longMs = 24 * 3_600_000

/** when all is done nobody holds a lock, a transaction or an alarm, and nobody waits for an answer. */
async function checkNothingHangs(life: Life): Promise<void> {
  for (let at = 0; at < 2; at++) await pass(life, longMs)
  const left = {
    locks: life.browser.locked(),
    transactions: life.browser.disk.open(),
    alarms: life.clock.waiting(),
    // Whoever asked in a tab that died hears nothing for ever.
    askers: [...life.pending].filter((one) => begunIn.get(one)?.every(({ isDead }) => !isDead)).length,
  }
  if (Object.values(left).some((one) => (Array.isArray(one) ? one.length : one) > 0))
    throw new Error(`something is left when all is done: ${JSON.stringify(left)}`)
}

async function settleFor(life: Life, user: number): Promise<void> {
  await runOut(life, () => come(life, 0, user))
  for (let round = 0; round < roundsToSettle; round++) {
    await run(life, () => tick(life, round % 2, true))
    if (round === 0) await life.browser.deliverLate()
    for (const _ of life.forms.slice()) await run(life, () => sendForm(life, 0))
    if (round > 4) letBe(life, user)
    for (const entry of outboxOf(life, user).filter((one) => waitsForUser(life, one)))
      await run(life, () => decide(life, tabOf(life, 0), entry, wayOut(entry, round)))
    await check(life, null)
    if (outboxOf(life, user).length === 0 && sealsOf(life, user).length === 0) return
    await pass(life, 61_000)
  }
  const left = outboxOf(life, user).map(
    ({ intent, state, attempts, problem }) => `${intent} ${state} ${attempts} ${problem?.code}`,
  )
  throw new Error(`stuck for ${user}: ${left.join('; ')} ${sealsOf(life, user).length} seals`)
}

/** Forms that are told the same again and again are closed. */
function letBe(life: Life, user: number): void {
  const own = life.forms.filter((intent) => life.promise.wishes.get(intent)?.owner === user)
  for (const intent of own) life.promise.drop(intent)
  life.forms = life.forms.filter((intent) => !own.includes(intent))
}
