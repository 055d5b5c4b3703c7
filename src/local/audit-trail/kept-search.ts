/** Free text through kept entries. */
import { tileWidth } from '#domain/audit-log/tiles.ts'
import { foldText } from '#domain/text.ts'
import { listId } from '#local/audit-trail/kept-index.ts'
import { allTexts, textEnd } from '#local/audit-trail/kept-tiles.ts'
import type { KeptTexts } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Places of the entries that hold the text, as the server compares it; null: nothing is looked for. */
export async function placesWith(
  db: UserDatabase,
  companyId: number,
  searchText: unknown,
): Promise<Set<number> | null> {
  const part = typeof searchText === 'string' ? foldText(searchText) : ''
  if (part === '') return null
  const places = new Set<number>()
  if (part.includes(textEnd)) return places
  for (const { index, texts } of await textsOf(db, companyId))
    for (const place of placesIn(texts, part)) places.add(index * tileWidth + place)
  return places
}

/** Of the search before: whoever looks for something looks again, and to read them takes longer than to look through them. */
let last: { of: string; texts: readonly KeptTexts[]; timer: ReturnType<typeof setTimeout> } | null = null
/** Nobody's texts stay in memory for longer, whoever has left meanwhile. */
const keptMs = 30_000

/** As they are now: pieces only come, and with each the next place is another. Inside a transaction over what is kept. */
async function textsOf(db: UserDatabase, companyId: number): Promise<readonly KeptTexts[]> {
  const [kept, index] = await Promise.all([db.keptTrails.get(companyId), db.indexes.get(listId(companyId))])
  const of = `${db.name} ${companyId} ${index?.name} ${kept?.next}`
  const texts = last?.of === of ? last.texts : await allTexts(db, companyId)
  clearTimeout(last?.timer)
  last = { of, texts, timer: setTimeout(() => (last = null), keptMs) }
  return texts
}

/** Found in the whole, and only then counted through to the entry that it lies in. */
function* placesIn(texts: string, part: string): Generator<number> {
  let [place, end] = [0, texts.indexOf(textEnd)]
  for (let at = texts.indexOf(part); at >= 0; at = texts.indexOf(part, end)) {
    while (end < at) {
      end = texts.indexOf(textEnd, end + 1)
      place += 1
    }
    yield place
  }
}
