import { Link } from 'react-router-dom'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { Freshness, UpdatedTime } from '#ui/list/Freshness.tsx'
import type { HomeReport } from '#ui/page/home-report.ts'
import { useTranslation } from 'react-i18next'
import type { FigureSlot } from '#features/home/figures.ts'

/** Shows counts, linked to their lists. Space is reserved for each, so that the layout does not shift. */
export function HomeFigures({ slots, reports }: { slots: readonly FigureSlot[]; reports: readonly HomeReport[] }) {
  const { t } = useTranslation('home')
  if (slots.length === 0) return null
  const oldestTime = findOldestTime(slots, reports)
  return (
    <div className="home-overview">
      <ul className="home-figures" aria-label={t('figures')}>
        {slots.map(({ name, path, source }) => {
          const report = reports.find((candidate) => candidate.source === source)
          const figure = report?.figures[name]
          return (
            <li key={name}>
              <Link className="home-figure" to={path}>
                <span className="home-label">{t(`figure.${name}`)}</span>
                {/* A dash reserves the space and shows that the number is unknown. */}
                <strong>
                  <span>{figure ? <TextWithDates text={figure.value} /> : '–'}</span>
                  {figure?.otherValues?.map((value) => (
                    <span key={value}>
                      <TextWithDates text={value} />
                    </span>
                  ))}
                </strong>
                <span className="home-note">
                  {figure ? <TextWithDates text={figure.note} /> : report?.state === 'unknown' && t('notHere')}
                </span>
                {figure?.freshness && <Freshness freshness={figure.freshness} hasAge={false} />}
              </Link>
            </li>
          )
        })}
      </ul>
      {/* The age of the oldest figure, once for all. Its line is there before it is known. */}
      <p className="home-updated">{oldestTime !== null && <UpdatedTime asOf={oldestTime} />}</p>
    </div>
  )
}

/** Returns the server time (epoch ms) of the oldest visible figure, or null if none was read from the server. */
function findOldestTime(slots: readonly FigureSlot[], reports: readonly HomeReport[]): number | null {
  const times = slots.flatMap(({ name, source }) => {
    const report = reports.find((candidate) => candidate.source === source)
    return report?.figures[name]?.freshness?.asOf ?? []
  })
  return times.length === 0 ? null : Math.min(...times)
}
