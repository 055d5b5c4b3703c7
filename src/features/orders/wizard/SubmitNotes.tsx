import { type ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { AppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import type { OrderingWay, SubmitState } from '#features/orders/wizard/useSubmitOrder.ts'
import { type Agreed } from '#features/orders/draft/wizard-draft.ts'

interface Props {
  way: OrderingWay
  currency: Currency
  agreed: Agreed | null
  /** Of the service. */
  code: string
}

/** What is asked and told between the choice of modules and the order. */
export function StageNotes({ way, currency, agreed, code }: Props) {
  const { t } = useTranslation('wizard')
  const { stage, begin, agree, calm } = way
  if (stage.kind === 'failed') return <ProblemNote problem={stage.problem} focus onRetry={() => void begin()} />
  if (stage.kind === 'waiting')
    return (
      <Note tone="pending" title={t(stage.unsure ? 'waiting.unsureTitle' : 'waiting.title')}>
        <p>{t(stage.unsure ? 'waiting.unsure' : 'waiting.text')}</p>
        {agreed && (
          <p>
            {t('waiting.figure', { date: agreed.effective_date })}{' '}
            <Amount currency={currency} amount={agreed.shown.amount} />
          </p>
        )}
        <Button icon="refresh" onClick={() => void begin()}>
          {t('waiting.again')}
        </Button>
      </Note>
    )
  if (stage.kind === 'confirm')
    return <Compared stage={stage} currency={currency} onAgree={() => void agree(stage.told)} />
  if (stage.kind === 'unpaid')
    return (
      <Asking
        title={t('unpaid.replaceTitle', { code })}
        action={t('unpaid.replace')}
        onYes={() => void agree(stage.told, { replaces: stage.unpaid.id })}
        onNo={calm}
      >
        <p>{t('unpaid.replaceText', { due: stage.unpaid.due })}</p>
        {stage.unpaid.currency && (
          <p>
            <Amount currency={stage.unpaid.currency} amount={stage.unpaid.amount} />
          </p>
        )}
      </Asking>
    )
  if (stage.kind === 'apps')
    return (
      <Asking
        title={t('apps.title')}
        action={t('apps.confirm')}
        onYes={() => void agree(stage.told, { replaces: stage.replaces, confirmKey: stage.key })}
        onNo={calm}
      >
        <p>{t('apps.text')}</p>
        <AppChanges info={stage.info} />
      </Asking>
    )
  return null
}

/** Both figures where they differ; the server's alone where it has just confirmed what was worked out here. */
function Compared({
  stage: { told, shown },
  currency,
  onAgree,
}: {
  stage: Extract<SubmitState, { kind: 'confirm' }>
  currency: Currency
  onAgree: () => void
}) {
  const { t } = useTranslation('wizard')
  const press = (
    <Button kind="primary" onClick={onAgree}>
      {t('order.at')} · <Amount currency={currency} amount={told.amount} />
    </Button>
  )
  if (!shown)
    return (
      <Note tone="positive" title={t('compared.same')}>
        {press}
      </Note>
    )
  return (
    <Note tone="warning" title={t('compared.differs')}>
      <dl className="compared">
        <div>
          <dt>{t('compared.shown')}</dt>
          <dd>
            <Amount currency={currency} amount={shown.amount} />
          </dd>
        </div>
        <div>
          <dt>{t('compared.now', { date: told.effective_date })}</dt>
          <dd>
            <Amount currency={currency} amount={told.amount} />
          </dd>
        </div>
      </dl>
      {press}
    </Note>
  )
}

function Note({
  tone,
  title,
  children,
}: {
  tone: 'pending' | 'warning' | 'positive'
  title: string
  children: ReactNode
}) {
  return (
    <div className={`wizard-note ${tone}`} role="alert">
      <Icon name={tone === 'pending' ? 'waiting' : tone === 'warning' ? 'alert' : 'check'} />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {children}
      </div>
    </div>
  )
}

interface AskingProps {
  title: string
  action: string
  onYes: () => void
  onNo: () => void
  children: ReactNode
}

function Asking({ title, action, onYes, onNo, children }: AskingProps) {
  const act = (
    <Button kind="primary" onClick={onYes}>
      {action}
    </Button>
  )
  return (
    <Dialog open title={title} onClose={onNo} act={act} careful>
      <div className="form">{children}</div>
    </Dialog>
  )
}
