import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { Problem } from '#contract/problem.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { problemOf } from '#state/status.ts'
import { ButtonLink } from '#ui/Button.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { useWords } from '#ui/words.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { SetPassword } from '#features/accounts/components/SetPassword.tsx'
import { type Opened, openedBy } from '#features/accounts/activation.ts'
import { linkOpened, readLink, selectAccounts } from '#features/accounts/slice.ts'
import { isOffline } from '#features/accounts/waits.ts'

/** Password set-up, success or error, depending on the code (portal 2). */
export function Activate() {
  const t = useWords('accounts')
  const opened = useKeyTaken()
  const { link, activation } = useSelector(selectAccounts)
  const dispatch = useDispatch()
  useEffect(() => {
    dispatch(linkOpened(opened.link))
    if (opened.link.is === 'unknown') void dispatch(readLink(opened.otk))
  }, [opened, dispatch])

  if (link.is === 'done') return <Done />
  if (link.is === 'used up') return <UsedUp problem={link.problem} />
  if (link.is === 'good') return <SetPassword otk={opened.otk} setsPassword={link.setsPassword} />
  const problem = problemOf(activation)
  return (
    <AccountCard title={t('activate.title')}>
      {isOffline(problem) && <Note kind="pending">{t('activate.offline')}</Note>}
      {problem ? (
        <ProblemNote problem={problem} onRetry={() => void dispatch(readLink(opened.otk))} />
      ) : (
        <>
          <p role="status">{t('activate.checking')}</p>
          <Skeleton />
        </>
      )}
    </AccountCard>
  )
}

/** The key is a secret: it is read once and leaves the address, and with it the history, before anything else (S-36). */
function useKeyTaken(): Opened {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const [opened] = useState(() => openedBy(query))
  const clean = query.size === 0
  useEffect(() => {
    if (!clean) void navigate({ search: '' }, { replace: true })
  }, [clean, navigate])
  return opened
}

function Done() {
  const t = useWords('accounts')
  return (
    <AccountCard title={t('activate.okTitle')}>
      <Note kind="good">{t('activate.okText')}</Note>
      <ButtonLink kind="primary" to="/login">
        {t('activate.toLogin')}
      </ButtonLink>
    </AccountCard>
  )
}

function UsedUp({ problem }: { problem: Problem }) {
  const t = useWords('accounts')
  return (
    <AccountCard title={t('activate.failedTitle')}>
      <ProblemNote problem={problem} />
      <p>{t('activate.failedText')}</p>
      <ButtonLink kind="primary" to="/login">
        {t('activate.toLogin')}
      </ButtonLink>
    </AccountCard>
  )
}
