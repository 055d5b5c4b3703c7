import { useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { getUser } from '#contract/accounts.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { useResultToast } from '#features/users/useResultToast.ts'
import { fetchUser } from '#features/users/form/save-user.ts'
import { runUserAction } from '#features/users/slice.ts'

/** Since when an invitation is pending, how long its link works (D75), and the mail once more (M40). */
export function Invitation({ userRow }: { userRow: UserRow }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const { t: tUi } = useTranslation('ui')
  const { isSessionExpired } = useConnection()
  const dispatch = useDispatch()
  const showResult = useResultToast()
  const [isBusy, setIsBusy] = useState(false)
  const [wasSent, setWasSent] = useState(false)
  const link = useInvitationLink(userRow)

  async function sendAgain() {
    setIsBusy(true)
    const result = await dispatch(runUserAction('activatemail', userRow.id))
    setIsBusy(false)
    if (!result) return
    showResult(tUsers('action.activatemail'), result)
    if (result.kind === 'fresh') setWasSent(true)
  }
  const getStateText = () => {
    if (wasSent) return t('invitation.sent')
    // Not known here, or not yet.
    if (link === undefined) return null
    if (link === null) return t('invitation.none')
    return t(link.works ? 'invitation.works' : 'invitation.over', { until: link.until })
  }
  const stateText = getStateText()
  return (
    <section className="invitation" aria-label={t('invitation.title')}>
      <Icon name={link?.works === false && !wasSent ? 'alert' : 'mail'} />
      <div>
        <p>
          {userRow.create_time
            ? t('invitation.since', { since: userRow.invite_time || userRow.create_time })
            : t('invitation.waits')}
        </p>
        {stateText && <p className="field-help">{stateText}</p>}
        {userRow.create_time && (
          <Button
            icon="mail"
            isBusy={isBusy}
            disabledReason={isSessionExpired && tUi('form.lapsed')}
            onClick={() => void sendAgain()}
          >
            {tUsers('action.activatemail')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Null: there is none; undefined: nobody could be asked. */
function useInvitationLink({ id, create_time }: UserRow): OutputOf<typeof getUser>['invitation'] | undefined {
  const dispatch = useDispatch()
  const [link, setLink] = useState<OutputOf<typeof getUser>['invitation']>()
  useEffect(() => {
    if (create_time)
      void dispatch(fetchUser(id)).then((result) => setLink('output' in result ? result.output?.invitation : undefined))
  }, [dispatch, id, create_time])
  return link
}
