import { useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { getUser } from '#contract/accounts.ts'
import { useAction } from '#state/use-action.ts'
import { useRecord } from '#state/use-record.ts'
import { useSelector } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useTranslation } from 'react-i18next'
import { useResultToast } from '#features/users/useResultToast.ts'
import { selectRunningActions, sendUserAction } from '#features/users/slice.ts'

/** Shows the invitation's date, how long its link is valid (D75), and a button to send the mail again (M40). */
export function Invitation({ userRow }: { userRow: UserRow }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const readOnlyReason = useReadOnlyReason()
  // Another action on this user may have been started from the list.
  const isBusy = userRow.id in useSelector(selectRunningActions)
  const { run } = useAction(sendUserAction)
  const showResult = useResultToast()
  const [wasSent, setWasSent] = useState(false)
  const { state, until } = useLinkState(userRow, wasSent)

  async function sendAgain() {
    const result = await run({ action: 'activatemail', id: userRow.id })
    showResult('activatemail', result)
    if (result.kind === 'fresh') setWasSent(true)
  }
  return (
    <section className="invitation" aria-label={t('invitation.title')}>
      <Icon name={state === 'over' ? 'alert' : 'mail'} />
      <div>
        <p>
          {userRow.create_time
            ? t('invitation.since', { since: userRow.invite_time || userRow.create_time })
            : t('invitation.waits')}
        </p>
        {state && <p className="field-help">{t(`invitation.${state}`, { until })}</p>}
        {userRow.create_time && (
          <Button icon="mail" isBusy={isBusy} disabledReason={readOnlyReason} onClick={() => void sendAgain()}>
            {tUsers('action.activatemail')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Returns whether the link of the latest mail is valid. `state` is null if it could not be loaded. */
function useLinkState({ id, create_time }: UserRow, wasSent: boolean) {
  const link = useRecord(getUser, create_time ? { query: { userId: id } } : null).record?.invitation
  if (wasSent) return { state: 'sent' } as const
  if (link === undefined) return { state: null } as const
  if (link === null) return { state: 'none' } as const
  return { state: link.works ? 'works' : 'over', until: link.until } as const
}
