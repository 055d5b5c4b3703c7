/** Two readers of calendars, ical.js (strict) and node-ical, read the calendars that the portal serves. They must read the same entries. */
import { isDeepStrictEqual } from 'node:util'
import type { Finding, Judge } from '#tests/campaigns/judges/judge.ts'
import type { JudgePortal } from '#tests/campaigns/judges/portal.ts'
import { importFile, installPackage } from '#tests/campaigns/judges/tools.ts'

const tools = [
  ['ical.js', '2.2.1'],
  ['node-ical', '0.27.2'],
] as const
const owners = ['admin', 'globex'] as const

interface CalendarEntry {
  uid: string
  summary: string
  /** `yyyy-MM-dd` */
  startDate: string
}

interface IcalComponent {
  getAllSubcomponents(name: string): IcalComponent[]
  getFirstPropertyValue(name: string): unknown
}
interface IcalJs {
  default: { parse(text: string): unknown; Component: new (tree: unknown) => IcalComponent }
}
interface NodeIcal {
  default: {
    sync: { parseICS(text: string): Record<string, { type: string; uid?: string; summary?: string; start?: Date }> }
  }
}

type CalendarReader = (text: string) => CalendarEntry[]

const sortEntries = (entries: CalendarEntry[]) => entries.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))

async function loadReaders(): Promise<Record<string, CalendarReader>> {
  const [strictFolder, otherFolder] = [await installPackage(...tools[0]), await installPackage(...tools[1])]
  const { default: icalJs } = await importFile<IcalJs>(strictFolder, 'dist/ical.js')
  const { default: nodeIcal } = await importFile<NodeIcal>(otherFolder, 'node-ical.js')
  return {
    'ical.js': (text) =>
      new icalJs.Component(icalJs.parse(text)).getAllSubcomponents('vevent').map((event) => ({
        uid: String(event.getFirstPropertyValue('uid')),
        summary: String(event.getFirstPropertyValue('summary')),
        startDate: String(event.getFirstPropertyValue('dtstart')),
      })),
    'node-ical': (text) =>
      Object.values(nodeIcal.sync.parseICS(text))
        .filter(({ type }) => type === 'VEVENT')
        .map(({ uid = '', summary = '', start }) => ({
          uid,
          summary,
          startDate: start ? formatLocalDate(start) : '',
        })),
  }
}

/** The reader returns an all-day start as midnight of this machine's time zone. */
const formatLocalDate = (date: Date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

async function readCalendar(portal: JudgePortal, owner: (typeof owners)[number]): Promise<string> {
  const sendAs = await portal.sendAs(owner)
  const created = await sendAs('/api/m18s/calendar', { method: 'POST' })
  const { url } = JSON.parse(created.body.toString()) as { url: string }
  const { status, body } = await portal.send(new URL(url).pathname)
  if (status !== 200) throw new Error(`the calendar of ${owner} responded with ${status}`)
  return body.toString()
}

export const calendars: Judge = {
  id: 'ical',
  tool: tools.map((tool) => tool.join(' ')).join(', '),
  async judge({ openPortal }) {
    const readers = await loadReaders()
    const portal = await openPortal()
    const findings: Finding[] = []
    let entryCount = 0
    for (const owner of owners) {
      const text = await readCalendar(portal, owner)
      const results: CalendarEntry[][] = []
      for (const [reader, read] of Object.entries(readers)) {
        try {
          results.push(sortEntries(read(text)))
        } catch (error) {
          findings.push({ key: `${owner} ${reader}`, text: `cannot read the calendar: ${String(error)}` })
        }
      }
      const [first = [], second = []] = results
      entryCount += first.length
      if (first.length === 0) findings.push({ key: `${owner} empty`, text: 'has no entries' })
      if (results.length === 2 && !isDeepStrictEqual(first, second))
        findings.push({
          key: `${owner} differs`,
          text: `is read differently: ${JSON.stringify(first)} ${JSON.stringify(second)}`,
        })
    }
    return { result: `${entryCount} entries of ${owners.length} calendars, ${findings.length} findings`, findings }
  },
}
