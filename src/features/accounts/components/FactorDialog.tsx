import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { type ReactNode, useEffect, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { LeaveQuestion } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import {
  startProof,
  type IdentityProof,
  sendProof,
  type IdentityChallenge,
  deleteFactor,
  createRecoveryCodes,
  requireForCompany,
  resetColleagueFactors,
} from '#features/accounts/factors-api.ts'
import { VerifyIdentityForm } from '#features/accounts/components/VerifyIdentityForm.tsx'
import { RecoveryCodes } from '#features/accounts/components/RecoveryCodes.tsx'
import { SetUpApp } from '#features/accounts/components/SetUpApp.tsx'
import { SetUpPasskey } from '#features/accounts/components/SetUpPasskey.tsx'

/** What somebody wants to change. */
export type FactorAction =
  | { kind: 'app' }
  | { kind: 'passkey' }
  | { kind: 'codes' }
  | { kind: 'remove'; id: number; name: string; isLast: boolean }
  | { kind: 'require'; shouldRequire: boolean }
  /** Of a colleague who has lost theirs. */
  | { kind: 'reset'; id: number; name: string; isRequired: boolean }

/** First who is there, then the change, then what is to be kept of it. `onClose` says whether something changed. */
export function FactorDialog({ action, onClose }: { action: FactorAction; onClose: (isChanged: boolean) => void }) {
  const { t } = useTranslation('factors')
  const { user } = useSignedInSession()
  const [token, setToken] = useState<string | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const [areCodesSaved, setCodesSaved] = useState(false)
  const [isLeaveQuestionOpen, setLeaveQuestionOpen] = useState(false)
  const handleDone = (recoveryCodes: string[] | null) => {
    if (recoveryCodes) return setCodes(recoveryCodes)
    showToast({ kind: 'done', text: t(`done.${action.kind}`, toNameParams(action)) })
    onClose(true)
  }
  const close = () => (codes && !areCodesSaved ? setLeaveQuestionOpen(true) : onClose(codes !== null))
  const title = codes ? t('codes.title') : token ? t(`wish.${action.kind}`, toNameParams(action)) : t('confirm.title')
  return (
    <Dialog open title={title} onClose={close} cancel={null}>
      {isLeaveQuestionOpen && (
        <div className="form factor-asks">
          <LeaveQuestion
            texts={{ text: t('codes.unkept'), stay: t('codes.stay'), leave: t('codes.leave') }}
            onStay={() => setLeaveQuestionOpen(false)}
            onLeave={() => onClose(true)}
          />
        </div>
      )}
      {codes ? (
        <RecoveryCodes
          codes={codes}
          account={`${user.company_code}:${user.email}`}
          onSaved={() => setCodesSaved(true)}
          onDone={() => {
            showToast({ kind: 'done', text: t(`done.${action.kind}`) })
            onClose(true)
          }}
        />
      ) : token ? (
        <FactorChange action={action} token={token} onDone={handleDone} onCancel={() => onClose(false)} />
      ) : (
        <ConfirmIdentity onProven={setToken} />
      )}
    </Dialog>
  )
}

const toNameParams = (action: FactorAction) => ('name' in action ? { name: action.name } : {})

/** The password or a factor, though one is signed in: whoever finds an open screen must not change how it is opened. */
function ConfirmIdentity({ onProven }: { onProven: (token: string) => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [challenge, setChallenge] = useState<IdentityChallenge | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    let isActive = true
    void dispatch(startProof()).then((result) => {
      if (!isActive) return
      if (result.kind === 'fresh') setChallenge(result.output)
      if (result.kind === 'problem') setProblem(result.problem)
    })
    return () => void (isActive = false)
  }, [dispatch])
  if (!challenge) return problem ? <ProblemNote problem={problem} shouldFocus /> : <Skeleton lines={4} />
  async function submitProof(proof: IdentityProof): Promise<Problem | null> {
    if (!challenge) return null
    const result = await dispatch(sendProof(challenge.mfa_token, proof))
    if (result.kind === 'problem') return result.problem
    onProven(challenge.mfa_token)
    return null
  }
  return (
    <div className="form">
      <p>{t('confirm.text')}</p>
      <VerifyIdentityForm challenge={challenge} onProof={submitProof} submitLabel={t('confirm.submit')} />
    </div>
  )
}

interface ChangeProps {
  token: string
  onDone: (codes: string[] | null) => void
  onCancel: () => void
}

function FactorChange({ action, token, onDone, onCancel }: ChangeProps & { action: FactorAction }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const setup = { mfa_token: token, isFirst: false }
  if (action.kind === 'app') return <SetUpApp setup={setup} onAdded={onDone} />
  if (action.kind === 'passkey') return <SetUpPasskey setup={setup} onAdded={onDone} />
  if (action.kind === 'codes')
    return (
      <ConfirmChange
        text={t('codes.renewText')}
        submit={t('codes.renew')}
        onCancel={onCancel}
        onConfirm={async () => {
          const result = await dispatch(createRecoveryCodes(token))
          if (result.kind === 'fresh') onDone(result.output.recovery_codes)
          return result.kind === 'problem' ? result.problem : null
        }}
      />
    )
  const runAction = async () => {
    const result = await dispatch(toChangeCall(action, token))
    if (result.kind === 'problem') return result.problem
    onDone(null)
    return null
  }
  if (action.kind === 'remove')
    return (
      <ConfirmChange
        danger
        text={t(action.isLast ? 'remove.lastText' : 'remove.text', { name: action.name })}
        submit={t('remove.submit')}
        onCancel={onCancel}
        onConfirm={runAction}
      />
    )
  if (action.kind === 'reset')
    return (
      <ConfirmChange
        danger
        text={t(action.isRequired ? 'colleague.askTextRequired' : 'colleague.askText', { name: action.name })}
        submit={t('colleague.reset')}
        onCancel={onCancel}
        onConfirm={runAction}
      />
    )
  const key = action.shouldRequire ? 'on' : 'off'
  return (
    <ConfirmChange
      text={t(`company.${key}Text`)}
      submit={t(`company.${key}Submit`)}
      onCancel={onCancel}
      onConfirm={runAction}
    />
  )
}

function toChangeCall(action: Exclude<FactorAction, { kind: 'app' | 'passkey' | 'codes' }>, token: string) {
  if (action.kind === 'remove') return deleteFactor(token, action.id)
  return action.kind === 'reset'
    ? resetColleagueFactors(token, action.id)
    : requireForCompany(token, action.shouldRequire)
}

/** What it means, before it is done. */
function ConfirmChange({
  text,
  submit,
  danger,
  onConfirm,
  onCancel,
}: {
  text: ReactNode
  submit: string
  danger?: boolean
  onConfirm: () => Promise<Problem | null>
  onCancel: () => void
}) {
  const { t } = useTranslation('ui')
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const handleConfirm = () => {
    setIsBusy(true)
    setProblem(null)
    void onConfirm().then((newProblem) => {
      setIsBusy(false)
      setProblem(newProblem)
    })
  }
  return (
    <div className="form">
      <ProblemNote problem={problem} shouldFocus />
      <p>{text}</p>
      <div className="factor-ways">
        <Button kind={danger ? 'danger' : 'primary'} isBusy={isBusy} onClick={handleConfirm} autoFocus={!danger}>
          {submit}
        </Button>
        <Button onClick={onCancel} autoFocus={danger ?? false}>
          {t('form.cancel')}
        </Button>
      </div>
    </div>
  )
}
