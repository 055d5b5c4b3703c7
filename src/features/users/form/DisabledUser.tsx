import { useEffect, useRef } from 'react'
import type { UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useSelector } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { selectRunningActions, sendUserAction } from '#features/users/slice.ts'
import { useResultToast } from '#features/users/useResultToast.ts'

interface DisabledUserProps {
  /** The user as they are now. The section stays after the user was enabled, so that its text says so. */
  userRow: UserRow
  onEnabled: () => void
}

/** Says that a user cannot log in, with the button that changes this (portal 4). */
export function DisabledUser({ userRow: { id, status }, onEnabled }: DisabledUserProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const readOnlyReason = useReadOnlyReason()
  // Another action on this user may have been started from the list.
  const isBusy = id in useSelector(selectRunningActions)
  const { run } = useAction(sendUserAction)
  const showResult = useResultToast()
  const isDisabled = status === userStatus.disabled
  const sectionRef = useFocusAfterwards(!isDisabled)

  async function enable() {
    const result = await run({ action: 'enable', id })
    showResult('enable', result)
    if (result.kind === 'fresh') onEnabled()
  }
  return (
    <section ref={sectionRef} className="invitation" aria-label={tUsers('column.status')} tabIndex={-1}>
      <Icon name={isDisabled ? 'stop' : 'check'} />
      <div>
        <p>{t(isDisabled ? 'disabled.text' : 'disabled.enabled')}</p>
        {isDisabled && (
          <Button icon="play" isBusy={isBusy} disabledReason={readOnlyReason} onClick={() => void enable()}>
            {tUsers('action.enable')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** The button that had the focus disappears, so its section gets the focus. */
function useFocusAfterwards(isDone: boolean) {
  const sectionRef = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isDone) sectionRef.current?.focus({ preventScroll: true })
  }, [isDone])
  return sectionRef
}
