import { useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { getUser } from '#contract/accounts.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { useTellOf } from '#features/users/useResultToast.ts'
import { askUser } from '#features/users/form/save-user.ts'
import { move } from '#features/users/slice.ts'

/** Since when an invitation is pending, how long its link works (D75), and the mail once more (M40). */
export function Invitation({ invited }: { invited: UserRow }) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const { t: ui } = useTranslation('ui')
  const { lapsed } = useConnection()
  const dispatch = useDispatch()
  const tell = useTellOf()
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState(false)
  const link = useLink(invited)

  async function sendAgain() {
    setBusy(true)
    const result = await dispatch(move('activatemail', invited.id))
    setBusy(false)
    if (!result) return
    tell(users('action.activatemail'), result)
    if (result.kind === 'fresh') setSent(true)
  }
  const said = () => {
    if (sent) return t('invitation.sent')
    // Not known here, or not yet.
    if (link === undefined) return null
    if (link === null) return t('invitation.none')
    return t(link.works ? 'invitation.works' : 'invitation.over', { until: link.until })
  }
  const words = said()
  return (
    <section className="invitation" aria-label={t('invitation.title')}>
      <Icon name={link?.works === false && !sent ? 'alert' : 'mail'} />
      <div>
        <p>
          {invited.create_time
            ? t('invitation.since', { since: invited.invite_time || invited.create_time })
            : t('invitation.waits')}
        </p>
        {words && <p className="field-help">{words}</p>}
        {invited.create_time && (
          <Button icon="mail" busy={busy} whyNot={lapsed && ui('form.lapsed')} onClick={() => void sendAgain()}>
            {users('action.activatemail')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** Null: there is none; undefined: nobody could be asked. */
function useLink({ id, create_time }: UserRow): OutputOf<typeof getUser>['invitation'] | undefined {
  const dispatch = useDispatch()
  const [link, setLink] = useState<OutputOf<typeof getUser>['invitation']>()
  useEffect(() => {
    if (create_time)
      void dispatch(askUser(id)).then((told) => setLink('output' in told ? told.output?.invitation : undefined))
  }, [dispatch, id, create_time])
  return link
}
