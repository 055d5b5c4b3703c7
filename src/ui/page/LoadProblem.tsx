import {
  createContext,
  type ReactNode,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { isOffline, type Problem } from '#contract/problem.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'

type RetryLoad = () => void

/** Collects the load problems of the parts of a page. Only the first one is displayed, and its button retries all. */
class LoadProblems {
  private readonly retries = new Map<string, RetryLoad>()
  private readonly listeners = new Set<() => void>()

  add(id: string, retry: RetryLoad): () => void {
    this.retries.set(id, retry)
    this.notify()
    return () => {
      this.retries.delete(id)
      this.notify()
    }
  }
  readonly getFirstId = (): string | null => this.retries.keys().next().value ?? null
  readonly retryAll = (): void => {
    this.retries.forEach((retry) => retry())
  }
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
  private notify(): void {
    for (const listener of this.listeners) listener()
  }
}

const PageProblems = createContext(new LoadProblems())

export function LoadProblemScope({ children }: { children: ReactNode }) {
  const [problems] = useState(() => new LoadProblems())
  return <PageProblems.Provider value={problems}>{children}</PageProblems.Provider>
}

interface Props {
  /** Problem to display. An offline problem is not displayed, because the shell shows it. */
  problem: Problem | null
  title?: string
  onRetry: RetryLoad
}

/** Displays the failure of a part of a page, once per page even if several parts fail. */
export function LoadProblem({ problem, title, onRetry }: Props) {
  const id = useId()
  const problems = useContext(PageProblems)
  const firstId = useSyncExternalStore(problems.subscribe, problems.getFirstId)
  const retry = useRef(onRetry)
  const isShown = problem !== null && !isOffline(problem)
  useLayoutEffect(() => {
    retry.current = onRetry
  })
  useLayoutEffect(() => (isShown ? problems.add(id, () => retry.current()) : undefined), [isShown, id, problems])
  if (!isShown || firstId !== id) return null
  return <ProblemNote problem={problem} title={title} onRetry={problems.retryAll} />
}
