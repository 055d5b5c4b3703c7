import { useState } from 'react'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { type Duty, type HomeReport, knownTogether } from '#ui/page/home-report.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { Dated } from '#ui/display/Dated.tsx'
import { inOrder } from '#features/home/merge-duties.ts'

const most = 8

/** Everything that needs this user in one list, what cannot wait first, each with what is done about it. */
export function NeedsAttention({ reports }: { reports: readonly HomeReport[] }) {
  const { t } = useTranslation('home')
  const [isWhole, setWhole] = useState(false)
  const state = knownTogether(reports.map((report) => report.state))
  const duties = inOrder(reports)
  const shown = isWhole ? duties : duties.slice(0, most)
  return (
    <section className="card home-card home-attention" aria-labelledby="home-attention">
      <h2 id="home-attention">{t('attention')}</h2>
      {state === 'asking' ? (
        <Skeleton lines={5} />
      ) : duties.length === 0 ? (
        <div className="home-nothing">
          <Icon name={state === 'unknown' ? 'info' : 'check'} />
          <p>
            <strong>{t(state === 'unknown' ? 'unknown' : 'caughtUp')}</strong>
            {t(state === 'unknown' ? 'unknownText' : 'caughtUpText')}
          </p>
        </div>
      ) : (
        <ul className="home-list">
          {shown.map((duty) => (
            <Item key={duty.key} duty={duty} />
          ))}
        </ul>
      )}
      {state === 'unknown' && duties.length > 0 && <p className="home-note">{t('unknownText')}</p>}
      {shown.length < duties.length && (
        <Button kind="plain" onClick={() => setWhole(true)}>
          {t('showAll', { number: duties.length })}
        </Button>
      )}
    </section>
  )
}

function Item({ duty: { icon, isUrgent, title, text, action, otherAction } }: { duty: Duty }) {
  return (
    <li className={`home-item${isUrgent ? ' urgent' : ''}`}>
      <Icon name={icon} />
      <span className="home-words">
        <strong>
          <Dated text={title} />
        </strong>
        <span>
          <Dated text={text} />
        </span>
      </span>
      {otherAction ? (
        <span className="home-actions">
          <Act action={action} title={title} />
          <Act action={otherAction} title={title} />
        </span>
      ) : (
        <Act action={action} title={title} />
      )}
    </li>
  )
}

function Act({ action, title }: Pick<Duty, 'action' | 'title'>) {
  const words = (
    <>
      {action.label} <span className="sr-only">{title}</span>
    </>
  )
  if ('path' in action) return <ButtonLink to={action.path}>{words}</ButtonLink>
  return (
    <Button whyNot={action.whyNot} onClick={action.run}>
      {words}
    </Button>
  )
}
