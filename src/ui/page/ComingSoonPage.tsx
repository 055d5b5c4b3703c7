import '#ui/icons/app-icons.ts'
import '#ui/page/plain.css'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { type Crumb, Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'

export interface PlainPageProps {
  title: string
  crumbs?: Crumb[]
  icon: IconName
  /** What this place is for, in a sentence. */
  lead: string
  /** What one will do here. */
  points: string[]
}

/** A place that is not furnished yet: says honestly what will be here, and that it is not here now. */
export function PlainPage({ title, crumbs, icon, lead, points }: PlainPageProps) {
  const { t } = useTranslation('plain')
  return (
    <Page title={title} crumbs={crumbs ?? []} width="narrow">
      <section className="card plain-page">
        <div className="plain-head">
          <span className="empty-icon">
            <Icon name={icon} size={24} />
          </span>
          <p>{lead}</p>
        </div>
        <div>
          <h2>{t('will')}</h2>
          <ul>
            {points.map((point) => (
              <li key={point}>
                <Icon name="check" size={16} />
                {point}
              </li>
            ))}
          </ul>
        </div>
        <p className="plain-now">
          <Icon name="info" size={16} />
          {t('now')}
        </p>
      </section>
    </Page>
  )
}
