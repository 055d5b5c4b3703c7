/** Issues the sealing keys of an in-memory server: one per session, and key 0 of each account. */

/** Returns 32 bytes in base64url that are always the same for the same input. */
const buildKey = (...bytes: number[]) =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => bytes[index % bytes.length] ?? 0)).toString('base64url')
const buildFirstKey = (userId: number) => buildKey(userId)

const parseIds = (text: string | null) => (text ? text.split(',').map(Number) : [])

export function createSealKeys() {
  const owners = new Map<number, number>()
  const deletedUserIds = new Set<number>()
  let lastSessionId = 0
  const sealKey = (id: number, userId: number) => ({
    id,
    key: id === 0 ? buildFirstKey(userId) : buildKey(userId, id, 255),
  })
  return {
    /** Starts a session and returns its number, which is also the id of its key. */
    begin(userId: number): number {
      lastSessionId += 1
      owners.set(lastSessionId, userId)
      return lastSessionId
    },
    /** Returns the fields with keys of the response for the user's own data. */
    buildResponse(userId: number, session: number, { searchParams }: URL) {
      const isUsable = (id: number) => id === 0 || (owners.get(id) === userId && !deletedUserIds.has(id))
      return {
        seal_key: buildFirstKey(userId),
        session_seal_key: sealKey(session, userId),
        seal_keys: parseIds(searchParams.get('seals'))
          .filter(isUsable)
          .map((id) => sealKey(id, userId)),
      }
    },
    /** Deletes keys and returns the ids of the deleted keys. */
    forget(userId: number, session: number, { searchParams }: URL): number[] {
      const ids = parseIds(searchParams.get('ids')).filter((id) => owners.get(id) === userId && id !== session)
      for (const id of ids) deletedUserIds.add(id)
      return ids
    },
    listRemaining: (userId: number) =>
      [...owners].flatMap(([id, owner]) => (owner === userId && !deletedUserIds.has(id) ? [id] : [])),
  }
}
