import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { type ReactNode, useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { LeaveQuestion } from '#ui/navigation-guard/NavigationGuard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import {
  begin,
  type Given,
  prove,
  type Proving,
  remove,
  renew,
  requireOfAll,
  resetColleague,
} from '#features/accounts/factors-api.ts'
import { ProveForm } from '#features/accounts/components/VerifyIdentityForm.tsx'
import { RecoveryCodes } from '#features/accounts/components/RecoveryCodes.tsx'
import { SetUpApp } from '#features/accounts/components/SetUpApp.tsx'
import { SetUpPasskey } from '#features/accounts/components/SetUpPasskey.tsx'

/** What somebody wants to change. */
export type Wish =
  | { wants: 'app' }
  | { wants: 'passkey' }
  | { wants: 'codes' }
  | { wants: 'remove'; id: number; name: string; isLast: boolean }
  | { wants: 'require'; required: boolean }
  /** Of a colleague who has lost theirs. */
  | { wants: 'reset'; id: number; name: string; isRequired: boolean }

/** First who is there, then the change, then what is to be kept of it. `onClose` says whether something changed. */
export function FactorDialog({ wish, onClose }: { wish: Wish; onClose: (changed: boolean) => void }) {
  const { t } = useTranslation('factors')
  const { user } = useSignedIn()
  const [token, setToken] = useState<string | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const [isKept, setKept] = useState(false)
  const [asks, setAsks] = useState(false)
  const done = (given: string[] | null) => {
    if (given) return setCodes(given)
    showToast({ kind: 'done', text: t(`done.${wish.wants}`, named(wish)) })
    onClose(true)
  }
  const close = () => (codes && !isKept ? setAsks(true) : onClose(codes !== null))
  const title = codes ? t('codes.title') : token ? t(`wish.${wish.wants}`, named(wish)) : t('confirm.title')
  return (
    <Dialog open title={title} onClose={close} cancel={null}>
      {asks && (
        <div className="form factor-asks">
          <LeaveQuestion
            said={{ text: t('codes.unkept'), stay: t('codes.stay'), leave: t('codes.leave') }}
            onStay={() => setAsks(false)}
            onLeave={() => onClose(true)}
          />
        </div>
      )}
      {codes ? (
        <RecoveryCodes
          codes={codes}
          account={`${user.company_code}:${user.email}`}
          onKept={() => setKept(true)}
          onDone={() => {
            showToast({ kind: 'done', text: t(`done.${wish.wants}`) })
            onClose(true)
          }}
        />
      ) : token ? (
        <Change wish={wish} token={token} onDone={done} onCancel={() => onClose(false)} />
      ) : (
        <Confirm onProven={setToken} />
      )}
    </Dialog>
  )
}

const named = (wish: Wish) => ('name' in wish ? { name: wish.name } : {})

/** The password or a factor, though one is signed in: whoever finds an open screen must not change how it is opened. */
function Confirm({ onProven }: { onProven: (token: string) => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [proving, setProving] = useState<Proving | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    let stands = true
    void dispatch(begin()).then((result) => {
      if (!stands) return
      if (result.kind === 'fresh') setProving(result.output)
      if (result.kind === 'problem') setProblem(result.problem)
    })
    return () => void (stands = false)
  }, [dispatch])
  if (!proving) return problem ? <ProblemNote problem={problem} focus /> : <Skeleton lines={4} />
  async function give(given: Given): Promise<Problem | null> {
    if (!proving) return null
    const result = await dispatch(prove(proving.mfa_token, given))
    if (result.kind === 'problem') return result.problem
    onProven(proving.mfa_token)
    return null
  }
  return (
    <div className="form">
      <p>{t('confirm.text')}</p>
      <ProveForm proving={proving} onGive={give} submit={t('confirm.submit')} />
    </div>
  )
}

interface Changing {
  token: string
  onDone: (codes: string[] | null) => void
  onCancel: () => void
}

function Change({ wish, token, onDone, onCancel }: Changing & { wish: Wish }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const setting = { mfa_token: token, first: false }
  if (wish.wants === 'app') return <SetUpApp setting={setting} onAdded={onDone} />
  if (wish.wants === 'passkey') return <SetUpPasskey setting={setting} onAdded={onDone} />
  if (wish.wants === 'codes')
    return (
      <Ask
        text={t('codes.renewText')}
        submit={t('codes.renew')}
        onCancel={onCancel}
        act={async () => {
          const result = await dispatch(renew(token))
          if (result.kind === 'fresh') onDone(result.output.recovery_codes)
          return result.kind === 'problem' ? result.problem : null
        }}
      />
    )
  const act = async () => {
    const result = await dispatch(changeOf(wish, token))
    if (result.kind === 'problem') return result.problem
    onDone(null)
    return null
  }
  if (wish.wants === 'remove')
    return (
      <Ask
        danger
        text={t(wish.isLast ? 'remove.lastText' : 'remove.text', { name: wish.name })}
        submit={t('remove.submit')}
        onCancel={onCancel}
        act={act}
      />
    )
  if (wish.wants === 'reset')
    return (
      <Ask
        danger
        text={t(wish.isRequired ? 'colleague.askTextRequired' : 'colleague.askText', { name: wish.name })}
        submit={t('colleague.reset')}
        onCancel={onCancel}
        act={act}
      />
    )
  const key = wish.required ? 'on' : 'off'
  return <Ask text={t(`company.${key}Text`)} submit={t(`company.${key}Submit`)} onCancel={onCancel} act={act} />
}

function changeOf(wish: Exclude<Wish, { wants: 'app' | 'passkey' | 'codes' }>, token: string) {
  if (wish.wants === 'remove') return remove(token, wish.id)
  return wish.wants === 'reset' ? resetColleague(token, wish.id) : requireOfAll(token, wish.required)
}

/** What it means, before it is done. */
function Ask({
  text,
  submit,
  danger,
  act,
  onCancel,
}: {
  text: ReactNode
  submit: string
  danger?: boolean
  act: () => Promise<Problem | null>
  onCancel: () => void
}) {
  const { t } = useTranslation('ui')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const press = () => {
    setBusy(true)
    setProblem(null)
    void act().then((wrong) => {
      setBusy(false)
      setProblem(wrong)
    })
  }
  return (
    <div className="form">
      <ProblemNote problem={problem} focus />
      <p>{text}</p>
      <div className="factor-ways">
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={press} autoFocus={!danger}>
          {submit}
        </Button>
        <Button onClick={onCancel} autoFocus={danger ?? false}>
          {t('form.cancel')}
        </Button>
      </div>
    </div>
  )
}
