import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { useState } from 'react'
import type { TFunction } from 'i18next'
import {
  beginProof,
  proveSelf,
  removeFactor,
  renewRecoveryCodes,
  requireFactor,
  resetUserFactors,
} from '#contract/factors.ts'
import type { CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { useAction } from '#state/use-action.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { LeaveQuestion } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { VerifyIdentityForm } from '#features/accounts/components/VerifyIdentityForm.tsx'
import { RecoveryCodes } from '#features/accounts/components/RecoveryCodes.tsx'
import { SetUpApp } from '#features/accounts/components/SetUpApp.tsx'
import { SetUpPasskey } from '#features/accounts/components/SetUpPasskey.tsx'
import { useOnlineResponse } from '#state/use-online-response.ts'

export type FactorAction =
  | { kind: 'app' }
  | { kind: 'passkey' }
  | { kind: 'codes' }
  | { kind: 'remove'; id: number; name: string; isLast: boolean }
  | { kind: 'require'; shouldRequire: boolean }
  | { kind: 'reset'; id: number; name: string; isRequired: boolean }

/** Verifies the user, makes the change, then shows new recovery codes. `isChanged` is true if the page must read the factors again. */
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

/** Asks for the password or a factor. An unlocked screen is not enough to change how its user signs in. */
function ConfirmIdentity({ onProven }: { onProven: (token: string) => void }) {
  const { t } = useTranslation('factors')
  const { response: challenge, problem } = useOnlineResponse(beginProof, {})
  if (!challenge) return problem ? <ProblemNote problem={problem} shouldFocus /> : <Skeleton lines={4} />
  const { mfa_token } = challenge
  return (
    <div className="form">
      <p>{t('confirm.text')}</p>
      <VerifyIdentityForm
        challenge={challenge}
        sendProof={(proof) => callEndpoint(proveSelf, { body: { mfa_token, ...proof } })}
        onProven={() => onProven(mfa_token)}
        submitLabel={t('confirm.submit')}
      />
    </div>
  )
}

interface ChangeProps<Action> {
  action: Action
  token: string
  onDone: (codes: string[] | null) => void
  onCancel: () => void
}

function FactorChange({ action, ...changeProps }: ChangeProps<FactorAction>) {
  const { token, onDone } = changeProps
  const setup = { mfa_token: token, isFirst: false }
  if (action.kind === 'app') return <SetUpApp setup={setup} onAdded={onDone} />
  if (action.kind === 'passkey') return <SetUpPasskey setup={setup} onAdded={onDone} />
  return <ConfirmChange action={action} {...changeProps} />
}

type ConfirmedAction = Exclude<FactorAction, { kind: 'app' | 'passkey' }>

/** Each call contains a secret token, so each attempt is a new call with its own intent. */
function toChangeCall(
  action: ConfirmedAction,
  mfa_token: string,
): AppThunk<CallResult<{ recovery_codes: string[] } | null>> {
  switch (action.kind) {
    case 'codes':
      return callEndpoint(renewRecoveryCodes, { body: { mfa_token } })
    case 'remove':
      return callEndpoint(removeFactor, { body: { mfa_token, id: action.id } })
    case 'reset':
      return callEndpoint(resetUserFactors, { params: { id: action.id }, body: { mfa_token } })
    case 'require':
      return callEndpoint(requireFactor, { body: { mfa_token, required: action.shouldRequire } })
  }
}

function getChangeTexts(t: TFunction<'factors'>, action: ConfirmedAction): { text: string; submit: string } {
  switch (action.kind) {
    case 'codes':
      return { text: t('codes.renewText'), submit: t('codes.renew') }
    case 'remove':
      return {
        text: t(action.isLast ? 'remove.lastText' : 'remove.text', { name: action.name }),
        submit: t('remove.submit'),
      }
    case 'reset':
      return {
        text: t(action.isRequired ? 'colleague.askTextRequired' : 'colleague.askText', { name: action.name }),
        submit: t('colleague.reset'),
      }
    case 'require': {
      const key = action.shouldRequire ? 'on' : 'off'
      return { text: t(`company.${key}Text`), submit: t(`company.${key}Submit`) }
    }
  }
}

function ConfirmChange({ action, token, onDone, onCancel }: ChangeProps<ConfirmedAction>) {
  const { t } = useTranslation('factors')
  const { t: tUi } = useTranslation('ui')
  const { run, isBusy, problem } = useAction((confirmedAction: ConfirmedAction) => toChangeCall(confirmedAction, token))
  const { text, submit } = getChangeTexts(t, action)
  const isDangerous = action.kind === 'remove' || action.kind === 'reset'
  async function confirm() {
    const result = await run(action)
    if (result.kind !== 'problem')
      onDone(result.kind === 'fresh' && result.output ? result.output.recovery_codes : null)
  }
  return (
    <div className="form">
      <ProblemNote problem={problem} shouldFocus />
      <p>{text}</p>
      <div className="factor-ways">
        <Button
          kind={isDangerous ? 'danger' : 'primary'}
          isBusy={isBusy}
          onClick={() => void confirm()}
          autoFocus={!isDangerous}
        >
          {submit}
        </Button>
        <Button onClick={onCancel} autoFocus={isDangerous}>
          {tUi('form.cancel')}
        </Button>
      </div>
    </div>
  )
}
