/** One list of what the features report. */
import type { HomeDuty, HomeReport } from '#ui/page/home-report.ts'

/** Later than any day. */
const endOfTime = '~'

/** What does not wait, then by day, then what has none. Keys are made one of a kind over all features. */
export const mergeDuties = (reports: readonly HomeReport[]): HomeDuty[] =>
  reports
    .flatMap(({ source, duties }) => duties.map((duty) => ({ ...duty, key: `${source} ${duty.key}` })))
    .toSorted((a, b) => {
      const [firstDate, secondDate] = [a.at ?? endOfTime, b.at ?? endOfTime]
      return firstDate < secondDate ? -1 : firstDate > secondDate ? 1 : 0
    })
