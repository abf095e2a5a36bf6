export function downloadBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser keeps its own reference to the blob once the click is handled.
  window.setTimeout(() => URL.revokeObjectURL(url), 0);
}
