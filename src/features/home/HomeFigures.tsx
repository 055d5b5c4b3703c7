import { Link } from 'react-router-dom'
import { Freshness } from '#ui/list/Freshness.tsx'
import type { HomeReport } from '#ui/page/home-report.ts'
import { useTranslation } from 'react-i18next'
import type { FigureSlot } from '#features/home/figures.ts'

/** Shows counts with their age, linked to their lists. Space is reserved for each, so that the layout does not shift. */
export function HomeFigures({ slots, reports }: { slots: readonly FigureSlot[]; reports: readonly HomeReport[] }) {
  const { t } = useTranslation('home')
  if (slots.length === 0) return null
  return (
    <ul className="home-figures" aria-label={t('figures')}>
      {slots.map(({ name, path, source }) => {
        const report = reports.find((candidate) => candidate.source === source)
        const figure = report?.figures[name]
        return (
          <li key={name}>
            <Link className="home-figure" to={path}>
              <span className="home-label">{t(`figure.${name}`)}</span>
              {/* A dash reserves the space and shows that the number is unknown. */}
              <strong>{figure?.value ?? '–'}</strong>
              <span className="home-note">{figure ? figure.note : report?.state === 'unknown' && t('notHere')}</span>
              {figure?.freshness && <Freshness freshness={figure.freshness} />}
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
