import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { useEffect, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { type EnrolledFactor, getFactors } from '#contract/factors.ts'
import { isCompanyAdmin } from '#domain/access.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { preloadDialog } from '#ui/overlay/Dialog.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { FactorDialog, type FactorAction } from '#features/accounts/components/FactorDialog.tsx'
import { RenameFactor } from '#features/accounts/components/RenameFactor.tsx'
import { useOnlineResponse } from '#state/use-online-response.ts'
import { hasPasskeys } from '#features/accounts/passkeys.ts'

/**
 * Shows the user's factors and recovery codes and, to an admin, whether the company requires a second factor. Read only from the server.
 */
export function Factors() {
  const { t } = useTranslation('factors')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const { response: ownFactors, problem, reload } = useOnlineResponse(getFactors, {}, !isOnline)
  const [action, setAction] = useState<FactorAction | null>(null)
  const [renamedFactor, setRenamedFactor] = useState<EnrolledFactor | null>(null)
  useEffect(preloadDialog, [])
  const disabledReason = isOnline ? null : t('offline')
  if (!ownFactors)
    return problem ? <ProblemNote problem={problem} onRetry={() => void reload()} /> : <Skeleton lines={5} />
  const close = (isChanged: boolean) => {
    setAction(null)
    setRenamedFactor(null)
    if (isChanged) void reload()
  }
  return (
    <>
      <Devices
        ownFactors={ownFactors}
        disabledReason={disabledReason}
        onAction={setAction}
        onRename={setRenamedFactor}
      />
      {ownFactors.factors.length > 0 && (
        <RecoveryCodesSection
          remainingCount={ownFactors.recovery_codes}
          disabledReason={disabledReason}
          onAction={setAction}
        />
      )}
      {isCompanyAdmin(caller) && (
        <Company isRequired={ownFactors.company_required} disabledReason={disabledReason} onAction={setAction} />
      )}
      {action && <FactorDialog action={action} onClose={close} />}
      {renamedFactor && <RenameFactor factor={renamedFactor} onClose={close} />}
    </>
  )
}

interface SectionProps {
  disabledReason: string | null
  onAction: (action: FactorAction) => void
}

function Devices({
  ownFactors,
  disabledReason,
  onAction,
  onRename,
}: SectionProps & { ownFactors: OutputOf<typeof getFactors>; onRename: (factor: EnrolledFactor) => void }) {
  const { t } = useTranslation('factors')
  const { factors, required } = ownFactors
  const isOn = factors.length > 0
  const tone = isOn ? 'positive' : required ? 'warning' : 'neutral'
  return (
    <section className="card" aria-labelledby="factors-own">
      <div className="factor-head">
        <h2 id="factors-own">{t('own.title')}</h2>
        <Tag tone={tone}>{t(isOn ? 'own.on' : 'own.off')}</Tag>
      </div>
      <p>{t(required ? `own.required.${required}` : 'own.text')}</p>
      {isOn && (
        <ul className="factor-list">
          {factors.map((factor) => (
            <FactorRow
              key={factor.id}
              factor={factor}
              offlineReason={disabledReason}
              onRename={() => onRename(factor)}
              removeDisabledReason={disabledReason ?? (required && factors.length === 1 ? t('remove.required') : null)}
              onRemove={() =>
                onAction({ kind: 'remove', id: factor.id, name: factor.name, isLast: factors.length === 1 })
              }
            />
          ))}
        </ul>
      )}
      <div className="factor-ways">
        <Button
          kind={isOn ? 'quiet' : 'primary'}
          icon="device"
          aria-haspopup="dialog"
          disabledReason={disabledReason}
          onClick={() => onAction({ kind: 'app' })}
        >
          {t('app.add')}
        </Button>
        <Button
          icon="key"
          aria-haspopup="dialog"
          disabledReason={disabledReason ?? (hasPasskeys() ? null : t('passkey.impossible'))}
          onClick={() => onAction({ kind: 'passkey' })}
        >
          {t('passkey.add')}
        </Button>
      </div>
    </section>
  )
}

function FactorRow({
  factor: { kind, name, create_time, last_time },
  offlineReason,
  removeDisabledReason,
  onRename,
  onRemove,
}: {
  factor: EnrolledFactor
  offlineReason: string | null
  removeDisabledReason: string | null
  onRename: () => void
  onRemove: () => void
}) {
  const { t } = useTranslation('factors')
  return (
    <li>
      <Icon name={kind === 'totp' ? 'device' : 'key'} />
      <div>
        <strong>{name}</strong>
        <p className="field-help">
          {t(`kind.${kind}`)} · {t('own.added', { at: create_time })} ·{' '}
          {last_time ? t('own.used', { at: last_time }) : t('own.unused')}
        </p>
      </div>
      <Button icon="edit" isIconOnly disabledReason={offlineReason} aria-haspopup="dialog" onClick={onRename}>
        {t('rename.action', { name })}
      </Button>
      <Button icon="remove" isIconOnly disabledReason={removeDisabledReason} aria-haspopup="dialog" onClick={onRemove}>
        {t('remove.action', { name })}
      </Button>
    </li>
  )
}

function RecoveryCodesSection({ remainingCount, disabledReason, onAction }: SectionProps & { remainingCount: number }) {
  const { t } = useTranslation('factors')
  return (
    <section className="card" aria-labelledby="factors-codes">
      <div className="factor-head">
        <h2 id="factors-codes">{t('codes.title')}</h2>
        <Tag tone={remainingCount > 2 ? 'positive' : 'warning'}>{t('codes.left', { count: remainingCount })}</Tag>
      </div>
      <p>{t(remainingCount > 2 ? 'codes.about' : 'codes.few')}</p>
      <div className="factor-ways">
        <Button
          icon="refresh"
          aria-haspopup="dialog"
          disabledReason={disabledReason}
          onClick={() => onAction({ kind: 'codes' })}
        >
          {t('codes.renew')}
        </Button>
      </div>
    </section>
  )
}

function Company({ isRequired, disabledReason, onAction }: SectionProps & { isRequired: boolean }) {
  const { t } = useTranslation('factors')
  const { user } = useSignedInSession()
  return (
    <section className="card" aria-labelledby="factors-company">
      <h2 id="factors-company">{t('company.title', { company: user.company_name })}</h2>
      <CheckField
        variant="switch"
        label={t('company.label')}
        help={t('company.help')}
        lockReason={disabledReason}
        checked={isRequired}
        // The switch changes only after the server has confirmed.
        onChange={() => onAction({ kind: 'require', shouldRequire: !isRequired })}
      />
    </section>
  )
}
