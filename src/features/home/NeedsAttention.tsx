import { useState } from 'react'
import { Link } from 'react-router-dom'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { type HomeDuty, type HomeReport, combineStates } from '#ui/page/home-report.ts'
import { OfflineNote } from '#ui/display/OfflineNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { mergeDuties } from '#features/home/merge-duties.ts'

const maxDuties = 8

export function NeedsAttention({ reports }: { reports: readonly HomeReport[] }) {
  const { t } = useTranslation('home')
  const [isExpanded, setExpanded] = useState(false)
  const state = combineStates(reports.map((report) => report.state))
  const duties = mergeDuties(reports)
  const commonActions = state === 'loading' ? [] : reports.flatMap((report) => report.commonActions ?? [])
  if (state === 'known' && duties.length === 0 && reports.some(({ hasSteps }) => hasSteps)) return null
  const visibleDuties = isExpanded ? duties : duties.slice(0, maxDuties)
  return (
    <section className="card home-card home-attention" aria-labelledby="home-attention">
      <div className="home-attention-head">
        <h2 id="home-attention">{t('attention')}</h2>
        {commonActions.map(({ key, label, run, disabledReason }) => (
          <Button key={key} kind="primary" aria-haspopup="dialog" disabledReason={disabledReason} onClick={run}>
            {label}
          </Button>
        ))}
      </div>
      {state !== 'loading' &&
        reports.map(({ source, offlineText }) => offlineText && <OfflineNote key={source} text={offlineText} />)}
      {state === 'loading' ? (
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
          {visibleDuties.map((duty) => (
            <DutyItem key={duty.key} duty={duty} hasPrimary={commonActions.length === 0} />
          ))}
        </ul>
      )}
      {state === 'unknown' && duties.length > 0 && <p className="home-note">{t('unknownText')}</p>}
      {visibleDuties.length < duties.length && (
        <Button kind="plain" onClick={() => setExpanded(true)}>
          {t('showAll', { number: duties.length })}
        </Button>
      )}
      {reports.map(
        ({ source, moreLink }) =>
          moreLink && (
            <Link key={source} className="home-all" to={moreLink.path}>
              {moreLink.label}
            </Link>
          ),
      )}
    </section>
  )
}

interface DutyItemProps {
  duty: HomeDuty
  /** False if a button above the list is the primary one. */
  hasPrimary: boolean
}

function DutyItem({ duty, hasPrimary }: DutyItemProps) {
  const { icon, isUrgent, isMain, title, text, action, otherAction } = duty
  const kind = isMain && hasPrimary ? 'primary' : 'quiet'
  return (
    <li className={`home-item${isUrgent ? ' urgent' : ''}`}>
      <Icon name={icon} />
      <span className="home-words">
        <strong>
          <TextWithDates text={title} />
        </strong>
        <span>
          <TextWithDates text={text} />
        </span>
      </span>
      {otherAction ? (
        <span className="home-actions">
          <DutyAction action={action} title={title} kind={kind} />
          <DutyAction action={otherAction} title={title} />
        </span>
      ) : (
        <DutyAction action={action} title={title} kind={kind} />
      )}
    </li>
  )
}

interface DutyActionProps extends Pick<HomeDuty, 'action' | 'title'> {
  kind?: 'primary' | 'quiet'
}

function DutyAction({ action, title, kind = 'quiet' }: DutyActionProps) {
  const label = (
    <>
      {action.label} <span className="sr-only">{title}</span>
    </>
  )
  if ('path' in action)
    return (
      <ButtonLink kind={kind} to={action.path}>
        {label}
      </ButtonLink>
    )
  return (
    <Button kind={kind} disabledReason={action.disabledReason} onClick={action.run}>
      {label}
    </Button>
  )
}
