import type { HomeDuty, HomeReport } from '#ui/page/home-report.ts'

/** Sorts after every date. */
const endOfTime = '~'

/** Sorts by date: an empty date comes first, null comes last. Keys are made unique over all features. */
export const mergeDuties = (reports: readonly HomeReport[]): HomeDuty[] =>
  reports
    .flatMap(({ source, duties }) => duties.map((duty) => ({ ...duty, key: `${source} ${duty.key}` })))
    .toSorted((a, b) => {
      const [firstDate, secondDate] = [a.at ?? endOfTime, b.at ?? endOfTime]
      return firstDate < secondDate ? -1 : firstDate > secondDate ? 1 : 0
    })
