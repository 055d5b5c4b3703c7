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
  const [one, other] = moments(zone, `${date} 00:00:00`)
  const first = Math.min(one, other)
  return dateIn(zone, first) === date ? first : Math.max(one, other)
}

/**
 * When clocks in the zone show that, epoch ms: the first time where they show it twice, the moment they are put on where they never
 * do. Null: there is no such day or time.
 */
export function instantIn(zone: string, timestamp: Timestamp): number | null {
  if (timestamp < firstShown || timestamp >= endShown || Number.isNaN(Date.parse(asUtc(timestamp)))) return null
  const [one, other] = moments(zone, timestamp)
  const shown = [Math.min(one, other), Math.max(one, other)].find((at) => timestampIn(zone, at) === timestamp)
  return shown ?? Math.max(one, other)
}

/** Between these a year has four digits in every zone, as a timestamp has them. */
const [firstShown, endShown] = ['1000-01-02', '9999-12-31']

const asUtc = (timestamp: Timestamp) => `${timestamp.replace(' ', 'T')}Z`

/** By the distance of the zone's clocks from UTC before and after they may have been put on or back. */
function moments(zone: string, timestamp: Timestamp): [number, number] {
  const instant = Date.parse(asUtc(timestamp))
  const by = (near: number) => instant + near - Date.parse(asUtc(timestampIn(zone, near)))
  return [by(instant), by(by(instant))]
}
