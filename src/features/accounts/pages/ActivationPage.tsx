import { useEffect } from 'react'
import { isOffline, type Problem } from '#contract/problem.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { SetPassword } from '#features/accounts/components/SetPassword.tsx'
import { useLinkKey } from '#features/accounts/components/useLinkKey.ts'
import { readActivationLink } from '#features/accounts/activation.ts'
import { setLinkState, checkActivationLink, selectActivation } from '#features/accounts/activation-slice.ts'

/** Shows the password form, success or an error, depending on the code (portal 2). */
export function ActivationPage() {
  const { t } = useTranslation('visitors')
  const { t: tUi } = useTranslation('ui')
  const { link: openedLink, forget } = useLinkKey(readActivationLink)
  const { linkState, activationStatus } = useSelector(selectActivation)
  const dispatch = useDispatch()
  useEffect(() => {
    dispatch(setLinkState(openedLink.linkState))
    if (openedLink.linkState.kind === 'unknown') void dispatch(checkActivationLink(openedLink.otk))
  }, [openedLink, dispatch])
  const isLinkUsed = linkState.kind === 'done' || linkState.kind === 'used up'
  useEffect(() => {
    if (isLinkUsed) forget()
  }, [isLinkUsed, forget])

  if (linkState.kind === 'done') return <ActivationDone />
  if (linkState.kind === 'used up') return <UsedLinkNote problem={linkState.problem} />
  if (linkState.kind === 'good')
    return <SetPassword otk={openedLink.otk} shouldSetPassword={linkState.shouldSetPassword} />
  const problem = getStatusProblem(activationStatus)
  const retry = () => void dispatch(checkActivationLink(openedLink.otk))
  return (
    <AccountCard title={t('activate.title')}>
      {isOffline(problem) ? (
        <>
          <Note kind="pending">{t('activate.offline')}</Note>
          <Button icon="refresh" onClick={retry}>
            {tUi('problem.retry')}
          </Button>
        </>
      ) : problem ? (
        <ProblemNote problem={problem} onRetry={retry} />
      ) : (
        <>
          <p role="status">{t('activate.checking')}</p>
          <Skeleton />
        </>
      )}
    </AccountCard>
  )
}

function ActivationDone() {
  const { t } = useTranslation('visitors')
  return (
    <AccountCard title={t('activate.okTitle')}>
      <Note kind="good">{t('activate.okText')}</Note>
      <ButtonLink kind="primary" to="/login">
        {t('activate.toLogin')}
      </ButtonLink>
    </AccountCard>
  )
}

function UsedLinkNote({ problem }: { problem: Problem }) {
  const { t } = useTranslation('visitors')
  return (
    <AccountCard title={t('activate.failedTitle')}>
      {/* A new mail solves this problem, so the user does not need to contact support. */}
      <ProblemNote problem={{ ...problem, requestId: null }} />
      <p>{t('activate.failedText')}</p>
      <ButtonLink kind="primary" to="/login">
        {t('activate.toLogin')}
      </ButtonLink>
    </AccountCard>
  )
}
