import { Component, type ReactNode, useEffect, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

interface Props {
  children: ReactNode
  /** When it changes, what follows is tried again: another page is not broken because this one was. */
  resetKey: string
}

/** Catches what was thrown while drawing: the unexpected, once, at the roof. */
export class ErrorBoundary extends Component<Props, { error: Error | null; resetKey: string }> {
  override state = { error: null as Error | null, resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: { resetKey: string }) {
    return resetKey === state.resetKey ? null : { error: null, resetKey }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return <ErrorPage error={error} retry={() => this.setState({ error: null })} />
  }
}

function ErrorPage({ error, retry }: { error: Error; retry: () => void }) {
  const { t } = useTranslation('ui')
  // What a report should name (P-16); where its code cannot be fetched, the page's own build.
  const [buildText, setBuildText] = useState(__BUILD__)
  useEffect(() => {
    const readBuildText = async () => {
      const { readVersions, formatVersions } = await import('#app/pwa/versions.ts')
      setBuildText(formatVersions(await readVersions()))
    }
    void readBuildText().catch(() => undefined)
  }, [])
  // A page whose code could not be fetched: React keeps the failed import, only a new start asks again.
  const isLoadError = /import|fetch|load/i.test(error.message)
  // What nobody can use without a line is not kept here (the part `online`): that is no fault, and is not told as one.
  const { networkState } = useConnection()
  const isOffline = isLoadError && (networkState !== 'online' || !navigator.onLine)
  // Without a worker nothing is kept, whatever the page could do with it.
  const offlineText = navigator.serviceWorker?.controller ? 'broken.outText' : 'broken.notHere'
  return (
    <Page title={t(isOffline ? 'broken.out' : 'broken.title')} width="narrow">
      <section className="card">
        <EmptyState
          icon={isOffline ? 'offline' : 'alert'}
          action={
            <>
              <Button kind="primary" icon="refresh" onClick={() => (isLoadError ? location.reload() : retry())}>
                {t('broken.retry')}
              </Button>
              <Button onClick={() => location.assign(import.meta.env.BASE_URL)}>{t('broken.home')}</Button>
            </>
          }
        >
          <p>{t(isOffline ? offlineText : 'broken.text')}</p>
          <details className="broken-detail">
            <summary>{t('broken.detail')}</summary>
            <code>
              {error.message} · {buildText}
            </code>
          </details>
        </EmptyState>
      </section>
    </Page>
  )
}
