import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

interface Props {
  online: boolean
  /** Its code, asked for again each time the line comes back. The same function at every drawing. */
  load: () => Promise<ComponentType>
  /** Said without a line. */
  title: string
  children: ReactNode
}

/** What is of no use without the server, and whose code is not kept on the device for that reason: it says so, and comes by itself. */
export function WhenOnline({ online, load, title, children }: Props) {
  const [Shown, setShown] = useState<ComponentType | null>(null)
  const [unfetched, setUnfetched] = useState(false)
  useEffect(() => {
    if (!online) return
    let stands = true
    setUnfetched(false)
    load().then(
      (loaded) => stands && setShown(() => loaded),
      () => stands && setUnfetched(true),
    )
    return () => void (stands = false)
  }, [online, load])
  if (Shown) return <Shown />
  if (online && !unfetched) return <Skeleton lines={5} />
  return (
    <section className="card">
      <EmptyState icon="offline" title={title}>
        {children}
      </EmptyState>
    </section>
  )
}
