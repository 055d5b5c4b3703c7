import { type ComponentType, lazy, Suspense } from 'react'

/**
 * Creates a part of a page that is loaded when it is first shown. If it cannot be loaded, the page is shown without it. `Placeholder` keeps
 * its space until then.
 */
export function createOptionalPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Placeholder: ComponentType<Props> = () => null,
): ComponentType<Props> {
  const Part = lazy<ComponentType<Props>>(async () => ({ default: await load().catch(() => () => null) }))
  return (props) => (
    <Suspense fallback={<Placeholder {...props} />}>
      <Part {...props} />
    </Suspense>
  )
}
