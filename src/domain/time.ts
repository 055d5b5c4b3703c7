/** Dates and times as the specification writes them (portal 9), in the business time zone (D31). Instants are epoch ms. */
export type PlainDate = string
export type Timestamp = string

const formats = new Map<string, Intl.DateTimeFormat>()

function partsIn(zone: string, instant: number): Record<string, string> {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(zone, format)
  }
  return Object.fromEntries(format.formatToParts(instant).map((part) => [part.type, part.value]))
}

/** `yyyy-MM-dd HH:mm:ss` in the zone. */
export function timestampIn(zone: string, instant: number): Timestamp {
  const at = partsIn(zone, instant)
  return `${at.year}-${at.month}-${at.day} ${at.hour}:${at.minute}:${at.second}`
}

/** `YYYY-MM-DD` in the zone: "today" of every rule. */
export const dateIn = (zone: string, instant: number): PlainDate => timestampIn(zone, instant).slice(0, 10)
