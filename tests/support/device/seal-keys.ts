/** Sealing keys as a server in memory gives them: one for each session, and key 0 of each account. */

/** 32 bytes that are the same for the same words, base64url. */
const keyOf = (...bytes: number[]) =>
  Buffer.from(Array.from({ length: 32 }, (_, at) => bytes[at % bytes.length] ?? 0)).toString('base64url')
const firstOf = (userId: number) => keyOf(userId)

const idsIn = (text: string | null) => (text ? text.split(',').map(Number) : [])

export function createSealKeys() {
  const owners = new Map<number, number>()
  const deleted = new Set<number>()
  let made = 0
  const sealKey = (id: number, userId: number) => ({ id, key: id === 0 ? firstOf(userId) : keyOf(userId, id, 255) })
  return {
    /** A session begins. Its number is its key's. */
    begin(userId: number): number {
      made += 1
      owners.set(made, userId)
      return made
    },
    /** What the user's own data says of keys. */
    said(userId: number, session: number, { searchParams }: URL) {
      const isTheirs = (id: number) => id === 0 || (owners.get(id) === userId && !deleted.has(id))
      return {
        seal_key: firstOf(userId),
        session_seal_key: sealKey(session, userId),
        seal_keys: idsIn(searchParams.get('seals'))
          .filter(isTheirs)
          .map((id) => sealKey(id, userId)),
      }
    },
    /** Which of them were deleted. */
    forget(userId: number, session: number, { searchParams }: URL): number[] {
      const ids = idsIn(searchParams.get('ids')).filter((id) => owners.get(id) === userId && id !== session)
      for (const id of ids) deleted.add(id)
      return ids
    },
    /** Of the user, those that have not been deleted. */
    left: (userId: number) => [...owners].flatMap(([id, owner]) => (owner === userId && !deleted.has(id) ? [id] : [])),
  }
}
