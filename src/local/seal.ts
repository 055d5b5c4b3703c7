/**
 * What stays of a user who has gone: nothing that anybody else could read. Rows are wiped; writes that the server does not
 * have yet are sealed under a key that only their user is given, and lie there until that user comes back (protocol 30).
 */
import { getUser } from '#contract/accounts.ts'
import type { Entry, Name, Receipt, Sealed, UserDatabase } from '#local/database.ts'
import { transact, wipedTables } from '#local/database.ts'
import { stripJobs } from '#local/open-jobs.ts'

/** What is sealed together: an entry means nothing without the names and receipts of what it follows. */
interface Belongings {
  outbox: Entry[]
  names: Name[]
  receipts: Receipt[]
}
const belongings = ['outbox', 'names', 'receipts'] as const

/**
 * The gate is closed first, so that nothing is claimed while the writes are sealed; then it is one transaction. False,
 * with nothing taken away, when the gate has moved since that generation: its user is back, or another page is at it.
 */
export async function wipe(db: UserDatabase, generation: number): Promise<boolean> {
  if (!(await closeGate(db, generation))) return false
  const key = await keyOf(await ownKey(db))
  for (;;) {
    const before = await read(db)
    const sealed = key && before.outbox.length > 0 ? await encrypt(key, before) : null
    const done = await wipeIfStill(db, before, sealed, generation + 1)
    if (done !== 'changed') return done === 'wiped'
  }
}

async function closeGate(db: UserDatabase, generation: number): Promise<boolean> {
  return await transact(db, ['meta'], async () => {
    const gate = await db.meta.get('gate')
    if ((gate?.name === 'gate' ? gate.generation : 0) !== generation) return false
    await db.meta.put({ name: 'gate', open: false, generation: generation + 1 })
    return true
  })
}

/** `changed`: an answer that was on its way has changed the writes: they are sealed as they are then. */
async function wipeIfStill(
  db: UserDatabase,
  before: Belongings,
  sealed: Omit<Sealed, 'name'> | null,
  generation: number,
): Promise<'wiped' | 'changed' | 'moved'> {
  return await transact(db, [...wipedTables, ...belongings, 'jobs', 'meta'], async () => {
    const gate = await db.meta.get('gate')
    if (gate?.name !== 'gate' || gate.open || gate.generation !== generation) return 'moved'
    if (sealed) {
      if (JSON.stringify(await read(db)) !== JSON.stringify(before)) return 'changed'
      for (const table of belongings) await db.table(table).clear()
      // Beside what was sealed before and could not be opened meanwhile.
      await db.meta.put({ ...sealed, name: `sealed:${sealed.id}` })
    }
    for (const table of wipedTables) await db.table(table).clear()
    await stripJobs(db)
    return 'wiped'
  })
}

const read = async (db: UserDatabase): Promise<Belongings> => ({
  outbox: await db.outbox.orderBy('seq').toArray(),
  names: await db.names.toArray(),
  receipts: await db.receipts.toArray(),
})

/** Brings back what was sealed for this user; wrongly keyed seals stay as they are. How many writes came back. */
export async function unseal(db: UserDatabase): Promise<number> {
  const found = await sealsOf(db)
  if (found.length === 0) return 0
  const key = await keyOf(await ownKey(db))
  let back = 0
  for (const sealed of key ? found : []) {
    const opened = key && (await decrypt(key, sealed))
    if (opened) back += await putBack(db, sealed, opened)
  }
  return back
}

async function putBack(db: UserDatabase, sealed: Sealed, opened: Belongings): Promise<number> {
  return await transact(db, [...belongings, 'meta'], async () => {
    // Two tabs may open it at once.
    if (!(await db.meta.get(sealed.name))) return 0
    await db.names.bulkPut(opened.names)
    await db.receipts.bulkPut(opened.receipts)
    await db.outbox.bulkPut(await behind(db, opened.outbox))
    await db.meta.delete(sealed.name)
    return opened.outbox.length
  })
}

/** What was made before comes before: written since under the same session, the others move behind it. */
async function behind(db: UserDatabase, old: Entry[]): Promise<Entry[]> {
  const since = await db.outbox.orderBy('seq').toArray()
  const free = (entry: Entry): Entry =>
    entry.state === 'sign in' ? { ...entry, state: 'waiting', notBefore: 0 } : entry
  return [...old.map(free), ...since].map((entry, at) => ({ ...entry, seq: at + 1 }))
}

const sealsOf = async (db: UserDatabase) => (await db.meta.where('name').startsWith('sealed:').toArray()) as Sealed[]

/** It comes with the user's own data and goes with it; nowhere else is it kept. */
async function ownKey(db: UserDatabase): Promise<string | null> {
  const reading = await db.readings.get(getUser.path)
  const said = reading ? (JSON.parse(reading.body) as { seal_key?: unknown } | null) : null
  return typeof said?.seal_key === 'string' ? said.seal_key : null
}

const keyBytes = 32

/** Null where there is none, or none that could be ours: then the writes stay unsealed rather than be lost. */
async function keyOf(text: string | null): Promise<CryptoKey | null> {
  try {
    const bytes = Uint8Array.from(atob((text ?? '').replaceAll('-', '+').replaceAll('_', '/')), codeOf)
    if (bytes.length !== keyBytes) return null
    return await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  } catch {
    return null
  }
}

const codeOf = (sign: string) => sign.charCodeAt(0)

async function encrypt(key: CryptoKey, content: Belongings): Promise<Omit<Sealed, 'name'>> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const plain = new TextEncoder().encode(JSON.stringify(content))
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plain)
  return { iv, data, entries: content.outbox.length, id: [...iv].join('.') }
}

async function decrypt(key: CryptoKey, { iv, data }: Sealed): Promise<Belongings | null> {
  try {
    const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, data)
    return JSON.parse(new TextDecoder().decode(plain)) as Belongings
  } catch {
    return null
  }
}
