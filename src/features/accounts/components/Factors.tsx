import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { useCallback, useEffect, useState } from 'react'
import type { Factor } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import { isCompanyAdmin } from '#domain/access.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CheckField } from '#ui/form/ChoiceFields.tsx'
import { preloadDialog } from '#ui/overlay/Dialog.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { FactorDialog, type Wish } from '#features/accounts/components/FactorDialog.tsx'
import { RenameFactor } from '#features/accounts/components/RenameFactor.tsx'
import { type Own, readOwnFactors } from '#features/accounts/factors-api.ts'
import { hasPasskeys } from '#features/accounts/passkeys.ts'

/** The own factors, the recovery codes, and for an admin what the company asks of everybody. Never from the device. */
export function Factors() {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const { caller } = useSignedIn()
  const { line } = useConnection()
  const [own, setOwn] = useState<Own | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [wish, setWish] = useState<Wish | null>(null)
  const [naming, setNaming] = useState<Factor | null>(null)
  const read = useCallback(async () => {
    const result = await dispatch(readOwnFactors())
    if (result.kind === 'fresh') setOwn(result.output)
    setProblem(result.kind === 'problem' ? result.problem : null)
  }, [dispatch])
  const isOnline = line === 'online'
  useEffect(() => {
    // Where the line is known to be down, its coming back asks.
    if (isOnline) void read()
  }, [read, isOnline])
  useEffect(preloadDialog, [])
  const whyNot = isOnline ? null : t('offline')
  if (!own) return problem ? <ProblemNote problem={problem} onRetry={() => void read()} /> : <Skeleton lines={5} />
  const close = (changed: boolean) => {
    setWish(null)
    setNaming(null)
    if (changed) void read()
  }
  return (
    <>
      <Devices own={own} whyNot={whyNot} onWish={setWish} onName={setNaming} />
      {own.factors.length > 0 && <Codes left={own.recovery_codes} whyNot={whyNot} onWish={setWish} />}
      {isCompanyAdmin(caller) && <Company required={own.company_required} whyNot={whyNot} onWish={setWish} />}
      {wish && <FactorDialog wish={wish} onClose={close} />}
      {naming && <RenameFactor factor={naming} onClose={close} />}
    </>
  )
}

interface Part {
  whyNot: string | null
  onWish: (wish: Wish) => void
}

function Devices({ own, whyNot, onWish, onName }: Part & { own: Own; onName: (factor: Factor) => void }) {
  const { t } = useTranslation('factors')
  const { factors, required } = own
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
            <Device
              key={factor.id}
              factor={factor}
              offline={whyNot}
              onName={() => onName(factor)}
              whyNot={whyNot ?? (required && factors.length === 1 ? t('remove.required') : null)}
              onRemove={() =>
                onWish({ wants: 'remove', id: factor.id, name: factor.name, isLast: factors.length === 1 })
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
          whyNot={whyNot}
          onClick={() => onWish({ wants: 'app' })}
        >
          {t('app.add')}
        </Button>
        <Button
          icon="key"
          aria-haspopup="dialog"
          whyNot={whyNot ?? (hasPasskeys() ? null : t('passkey.impossible'))}
          onClick={() => onWish({ wants: 'passkey' })}
        >
          {t('passkey.add')}
        </Button>
      </div>
    </section>
  )
}

function Device({
  factor: { kind, name, create_time, last_time },
  offline,
  whyNot,
  onName,
  onRemove,
}: {
  factor: Factor
  offline: string | null
  whyNot: string | null
  onName: () => void
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
      <Button icon="edit" bare whyNot={offline} aria-haspopup="dialog" onClick={onName}>
        {t('rename.action', { name })}
      </Button>
      <Button icon="remove" bare whyNot={whyNot} aria-haspopup="dialog" onClick={onRemove}>
        {t('remove.action', { name })}
      </Button>
    </li>
  )
}

function Codes({ left, whyNot, onWish }: Part & { left: number }) {
  const { t } = useTranslation('factors')
  return (
    <section className="card" aria-labelledby="factors-codes">
      <div className="factor-head">
        <h2 id="factors-codes">{t('codes.title')}</h2>
        <Tag tone={left > 2 ? 'positive' : 'warning'}>{t('codes.left', { count: left })}</Tag>
      </div>
      <p>{t(left > 2 ? 'codes.about' : 'codes.few')}</p>
      <div className="factor-ways">
        <Button icon="refresh" aria-haspopup="dialog" whyNot={whyNot} onClick={() => onWish({ wants: 'codes' })}>
          {t('codes.renew')}
        </Button>
      </div>
    </section>
  )
}

function Company({ required, whyNot, onWish }: Part & { required: boolean }) {
  const { t } = useTranslation('factors')
  const { user } = useSignedIn()
  return (
    <section className="card" aria-labelledby="factors-company">
      <h2 id="factors-company">{t('company.title', { company: user.company_name })}</h2>
      <CheckField
        look="switch"
        label={t('company.label')}
        help={t('company.help')}
        locked={whyNot}
        checked={required}
        // It moves when the server has said so.
        onChange={() => onWish({ wants: 'require', required: !required })}
      />
    </section>
  )
}
