export interface BucketSettings {
  bucket: string
  /** URL of the server. Null for Amazon's own servers. */
  endpoint: string | null
  region: string
  /** Puts the bucket name into the path and not into the host name. Most servers other than Amazon's need this. */
  pathStyle: boolean
  /** Null if the SDK gets the credentials itself (profile, role of the machine). */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null
}
