/** Dates and times as the specification writes them (portal 9), in the business time zone (D31). Instants are epoch ms. */
export type PlainDate = string
export type Timestamp = string

const formats = new Map<string, Intl.DateTimeFormat>()
const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const

function partsIn(zone: string, instant: number): Record<string, string> {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, hourCycle: 'h23', ...fields })
    formats.set(zone, format)
  }
  return Object.fromEntries(format.formatToParts(instant).map((part) => [part.type, part.value]))
}

/** Each minute is worked out once: a list shows hundreds of instants, and an answer the same ones again. */
const minutes = new Map<string, string>()
const maxMinutes = 2000

function minuteIn(zone: string, minute: number): string {
  const key = `${minute} ${zone}`
  const known = minutes.get(key)
  if (known !== undefined) return known
  const at = partsIn(zone, minute * 60_000)
  const text = `${at.year}-${at.month}-${at.day} ${at.hour}:${at.minute}`
  if (minutes.size >= maxMinutes) minutes.clear()
  minutes.set(key, text)
  return text
}

/** `yyyy-MM-dd HH:mm:ss` in the zone. */
export function timestampIn(zone: string, instant: number): Timestamp {
  const minute = Math.floor(instant / 60_000)
  // Zones differ by whole minutes, since 1972.
  const second = Math.floor(instant / 1000) - minute * 60
  return `${minuteIn(zone, minute)}:${String(second).padStart(2, '0')}`
}

/** `YYYY-MM-DD` in the zone: "today" of every rule. */
export const dateIn = (zone: string, instant: number): PlainDate => timestampIn(zone, instant).slice(0, 10)

/** The first moment of that day in the zone, epoch ms. */
export function startOfDay(zone: string, date: PlainDate): number {
  const asUtc = Date.parse(`${date}T00:00:00Z`)
  const by = (near: number) => asUtc + near - Date.parse(`${timestampIn(zone, near).replace(' ', 'T')}Z`)
  // Clocks may be put on or back between the two.
  const [one, other] = [by(asUtc), by(by(asUtc))]
  const first = Math.min(one, other)
  return dateIn(zone, first) === date ? first : Math.max(one, other)
}
