import { Component, type ReactNode, useEffect, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { useConnection } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

interface Props {
  children: ReactNode
  /** The children are rendered again when this value changes, because another page may work. */
  resetKey: string
}

/** Catches errors during rendering and shows an error page. `retry` renders the children again. */
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
  // The builds for a problem report (P-16): only the page's build if `versions.ts` cannot be loaded.
  const [buildText, setBuildText] = useState(__BUILD__)
  useEffect(() => {
    const readBuildText = async () => {
      const { readVersions, formatVersions } = await import('#app/pwa/versions.ts')
      setBuildText(formatVersions(await readVersions()))
    }
    void readBuildText().catch(() => undefined)
  }, [])
  // If the code of a page could not be loaded, React keeps the failed import, so only a reload tries again.
  const isLoadError = /import|fetch|load/i.test(error.message)
  // Pages that need a connection are not cached (chunk `online`). That is not an error and is not shown as one.
  const { networkState } = useConnection()
  const isOffline = isLoadError && (networkState !== 'online' || !navigator.onLine)
  // Without a worker no page is cached, so the text must not promise that other pages work offline.
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
