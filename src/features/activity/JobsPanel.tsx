import { type KeyboardEvent, useId } from 'react'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobList } from '#features/activity/JobList.tsx'
import { InboxList } from '#features/activity/InboxList.tsx'
import { MarkAllButton } from '#features/activity/MarkAllButton.tsx'
import { useInbox } from '#features/activity/useInbox.ts'
import { useJobActions } from '#features/activity/useJobActions.ts'
import { VerifyAuditTrail } from '#features/activity/VerifyAuditTrail.tsx'

export const activityTabs = ['inbox', 'tasks'] as const
export type ActivityTab = (typeof activityTabs)[number]

interface JobsPanelProps {
  allPath: string
  tab: ActivityTab
  onTabChange: (tab: ActivityTab) => void
  ServiceResult: ServiceResultComponent
  onClose: () => void
}

/** The panel behind the bell: the inbox, and the user's long requests. */
export function JobsPanel({ allPath, tab, onTabChange, ServiceResult, onClose }: JobsPanelProps) {
  const { t } = useTranslation('activity')
  const id = useId()
  const { isVerifying, problem, verify, changeJob } = useJobActions()
  const inbox = useInbox()
  const actions = (
    <>
      {tab === 'tasks' && <VerifyAuditTrail isBusy={isVerifying} onVerify={() => void verify()} />}
      {tab === 'inbox' && <MarkAllButton inbox={inbox} />}
      <ButtonLink to={tab === 'inbox' ? allPath : `${allPath}?tab=tasks`}>{t('all')}</ButtonLink>
    </>
  )
  return (
    <Dialog open side="right" title={t('panel')} onClose={onClose} action={actions} cancel={null}>
      <PanelTabs {...{ id, tab }} unreadCount={inbox.unreadCount} onChange={onTabChange} />
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        {tab === 'inbox' ? (
          <InboxList inbox={inbox} onOpen={onClose} />
        ) : (
          <>
            <ProblemNote problem={problem} shouldFocus />
            <JobList ServiceResult={ServiceResult} onChange={(change) => void changeJob(change)} />
          </>
        )}
      </div>
    </Dialog>
  )
}

interface PanelTabsProps {
  id: string
  tab: ActivityTab
  unreadCount: number
  onChange: (tab: ActivityTab) => void
}

function PanelTabs({ id, tab, unreadCount, onChange }: PanelTabsProps) {
  const { t } = useTranslation('activity')
  const moveFocus = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const otherTab = tab === 'inbox' ? 'tasks' : 'inbox'
    onChange(otherTab)
    document.getElementById(`${id}-${otherTab}`)?.focus()
  }
  return (
    <div className="tabs tabs-row activity-tabs" role="tablist" aria-label={t('panel')} onKeyDown={moveFocus}>
      {activityTabs.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          className="tab"
          id={`${id}-${name}`}
          aria-selected={name === tab}
          aria-controls={`${id}-panel`}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {name === 'inbox' && unreadCount > 0 ? t('inboxCount', { count: unreadCount }) : t(`tab.${name}`)}
        </button>
      ))}
    </div>
  )
}
