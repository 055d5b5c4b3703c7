import { type BuildInfo, buildInfoPath } from '#contract/client-build.ts'

const timeoutMs = 5_000

/** What the server says of builds; null: it cannot be asked now. */
export async function fetchBuildInfo(): Promise<BuildInfo | null> {
  try {
    const response = await fetch(buildInfoPath, { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    return response.ok ? ((await response.json()) as BuildInfo) : null
  } catch {
    return null
  }
}
