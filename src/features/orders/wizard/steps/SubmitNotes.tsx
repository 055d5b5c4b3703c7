import { type ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Notice } from '#ui/display/Notice.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { ContractAppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import type { SubmitOrderState, SubmitStage } from '#features/orders/wizard/state/useSubmitOrder.ts'
import { type AgreedQuote } from '#features/orders/draft/wizard-draft.ts'

interface Props {
  submission: SubmitOrderState
  currency: Currency
  agreedQuote: AgreedQuote | null
  code: string
}

export function SubmitNotes({ submission, currency, agreedQuote, code }: Props) {
  const { t } = useTranslation('wizard')
  const { stage, start, agree, reset } = submission
  if (stage.kind === 'failed') return <ProblemNote problem={stage.problem} shouldFocus onRetry={() => void start()} />
  if (stage.kind === 'waiting')
    return (
      <Note tone="pending" title={t(stage.isUncertain ? 'waiting.unsureTitle' : 'waiting.title')}>
        <p>{t(stage.isUncertain ? 'waiting.unsure' : 'waiting.text')}</p>
        {agreedQuote && (
          <p>
            {t('waiting.figure', { date: agreedQuote.effective_date })}{' '}
            <Amount currency={currency} amount={agreedQuote.shown.amount} />
          </p>
        )}
        <Button icon="refresh" onClick={() => void start()}>
          {t('waiting.again')}
        </Button>
      </Note>
    )
  if (stage.kind === 'confirm')
    return <QuoteComparison stage={stage} currency={currency} onAgree={() => void agree(stage.serverQuote)} />
  if (stage.kind === 'unpaid')
    return (
      <ActionDialog
        title={t('unpaid.replaceTitle', { code })}
        actionLabel={t('unpaid.replace')}
        onAction={() => void agree(stage.serverQuote, { replaces: stage.unpaidOrder.id })}
        onClose={reset}
        shouldFocusCancel
      >
        <p>{t('unpaid.replaceText', { due: stage.unpaidOrder.due })}</p>
        {stage.unpaidOrder.currency && (
          <p>
            <Amount currency={stage.unpaidOrder.currency} amount={stage.unpaidOrder.amount} />
          </p>
        )}
      </ActionDialog>
    )
  if (stage.kind === 'apps')
    return (
      <ActionDialog
        title={t('apps.title')}
        actionLabel={t('apps.confirm')}
        onAction={() => void agree(stage.serverQuote, { replaces: stage.replaces, confirmKey: stage.key })}
        onClose={reset}
        shouldFocusCancel
      >
        <p>{t('apps.text')}</p>
        <ContractAppChanges appChanges={stage.appChanges} />
      </ActionDialog>
    )
  return null
}

function QuoteComparison({
  stage: { serverQuote, displayedFigure },
  currency,
  onAgree,
}: {
  stage: Extract<SubmitStage, { kind: 'confirm' }>
  currency: Currency
  onAgree: () => void
}) {
  const { t } = useTranslation('wizard')
  const orderButton = (
    <Button kind="primary" onClick={onAgree}>
      {t('order.at')} · <Amount currency={currency} amount={serverQuote.amount} />
    </Button>
  )
  if (!displayedFigure)
    return (
      <Note tone="positive" title={t('compared.same')}>
        {orderButton}
      </Note>
    )
  return (
    <Note tone="warning" title={t('compared.differs')}>
      <dl className="compared">
        <div>
          <dt>{t('compared.shown')}</dt>
          <dd>
            <Amount currency={currency} amount={displayedFigure.amount} />
          </dd>
        </div>
        <div>
          <dt>{t('compared.now', { date: serverQuote.effective_date })}</dt>
          <dd>
            <Amount currency={currency} amount={serverQuote.amount} />
          </dd>
        </div>
      </dl>
      {orderButton}
    </Note>
  )
}

const noteIcons = { pending: 'waiting', warning: 'alert', positive: 'check' } as const

function Note({ tone, title, children }: { tone: keyof typeof noteIcons; title: string; children: ReactNode }) {
  return (
    <Notice look="wizard-note" tone={tone} role="alert" icon={noteIcons[tone]}>
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </Notice>
  )
}
