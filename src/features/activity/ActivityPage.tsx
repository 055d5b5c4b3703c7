import { useSearchParams } from 'react-router-dom'
import { TabLinks } from '#ui/links/TabLinks.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobList } from '#features/activity/JobList.tsx'
import { activityTabs } from '#features/activity/JobsPanel.tsx'
import { InboxList } from '#features/activity/InboxList.tsx'
import { MarkAllButton } from '#features/activity/MarkAllButton.tsx'
import { useInbox } from '#features/activity/useInbox.ts'
import { useJobActions } from '#features/activity/useJobActions.ts'
import { VerifyAuditTrail } from '#features/activity/VerifyAuditTrail.tsx'

/** The inbox and the long requests of the user. Each tab has its own address. */
export function ActivityPage({ ServiceResult }: { ServiceResult: ServiceResultComponent }) {
  const { t } = useTranslation('activity')
  const [query] = useSearchParams()
  const tab = query.get('tab') === 'tasks' ? 'tasks' : 'inbox'
  const { isVerifying, problem, verify, changeJob } = useJobActions()
  const inbox = useInbox()
  const action = tab === 'tasks' && (
    <VerifyAuditTrail kind="primary" isBusy={isVerifying} onVerify={() => void verify()} />
  )
  return (
    <Page title={t('panel')} intro={t(tab === 'tasks' ? 'lead' : 'inboxLead')} width="narrow" action={action}>
      <TabLinks
        label={t('panel')}
        tabs={activityTabs.map((name) => ({
          name,
          label:
            name === 'inbox' && inbox.unreadCount > 0
              ? t('inboxCount', { count: inbox.unreadCount })
              : t(`tab.${name}`),
          search: name === 'inbox' ? '' : `?tab=${name}`,
        }))}
        currentName={tab}
      />
      {tab === 'tasks' && <ProblemNote problem={problem} shouldFocus />}
      <section className="card">
        {tab === 'inbox' ? (
          <>
            <div className="inbox-action">
              <MarkAllButton inbox={inbox} kind="plain" />
            </div>
            <InboxList inbox={inbox} />
          </>
        ) : (
          <JobList ServiceResult={ServiceResult} onChange={(change) => void changeJob(change)} />
        )}
      </section>
    </Page>
  )
}
